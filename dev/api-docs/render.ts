import { readFileSync } from "node:fs";
import openapiTS, { type OpenAPI3 } from "openapi-typescript";
import { commands } from "../../src/commands/commands.ts";
import { helpOf } from "../../src/commands/help.ts";
import { evidencePage } from "../evidence-page.ts";
import { settingsTable } from "../settings-table.ts";
import { describeApi, openApiText } from "./describe.ts";
import { boundsTable, routesTable, withTable } from "./made-tables.ts";
import { apiPage } from "./page/page.ts";

/** The pages that are made, or have tables that are, by path. */
export const renderPages = async (): Promise<Readonly<Record<string, string>>> => ({
  "README.md": withTable(readFileSync("README.md", "utf8"), "routes", routesTable()),
  "docs/reference.md": withTable(readFileSync("docs/reference.md", "utf8"), "lengths", boundsTable()),
  "docs/api.html": apiPage(describeApi()),
  "docs/openapi.json": openApiText(),
  "docs/commands.md": await commandsPage(),
  "docs/evidence.md": evidencePage(),
  "docs/api.d.ts": `/** Types of the API for TypeScript clients. Made by \`make docs\`. */\n${await typesOf()}`,
});

/** What `--help` prints after each command, but only the names of the settings, which a table explains. */
async function commandsPage(): Promise<string> {
  const sections = Object.keys(commands).map(async name => {
    const [text = "", settings = ""] = (await helpOf(name)).split("\n\nSettings, ");
    const names = [...settings.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, setting]) => `\`${setting}\``);
    const read = names.length === 0 ? "" : `\nSettings: ${names.join(", ")}.\n`;
    return `\n## ${name}\n\n${blockOf(text)}${read}`;
  });
  return `# Commands

What each command takes, as \`--help\` after it prints. On a machine with the package, \`maintenance-log\` stands for \`node dist/main.js\`. \`--version\` prints the version. Made by \`make docs\`.

${Object.keys(commands)
  .map(name => `[${name}](#${name})`)
  .join(" · ")}

## Settings

Settings come from the environment. \`NAME_FILE\` may be set in place of \`NAME\`: the path of a file whose content is the value.

${settingsTable()}
${(await Promise.all(sections)).join("")}`;
}

const blockOf = (text: string): string => `\`\`\`text\n${text}\n\`\`\`\n`;

// Without the banner of a tool, whose words change with its versions.
const typesOf = async (): Promise<string> =>
  openapiTS((await describeApi()) as object as OpenAPI3, { commentHeader: "" });
