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

/** That of the scripts of the package, which nobody types. */
const ofScripts = ["restored"];

/** What `--help` prints after each command, but only the names of the settings, which a table explains. */
async function commandsPage(): Promise<string> {
  const names = Object.keys(commands).filter(name => !ofScripts.includes(name));
  const sections = names.map(async name => {
    const [text = "", settings = ""] = (await helpOf(name, "")).split("\n\nSettings, ");
    const read = [...settings.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, setting]) => `\`${setting}\``);
    // Those of `serve` are the first of the table.
    const listed = read.length > 10 ? `all from ${read[0]} to ${read.at(-1)}` : read.join(", ");
    return `\n## ${name}\n\n${blockOf(text.replace("usage:  ", "usage: "))}${listed && `\nSettings: ${listed}.\n`}`;
  });
  return `# Commands

Write \`maintenance-log\` before each command, or without the package \`node dist/main.js\`. \`--help\` after a command prints this text and its settings, \`--version\` the version. Made by \`make docs\`.

${names.map(name => `[${name}](#${name})`).join(" · ")}

## Settings

Settings come from the environment. \`NAME_FILE\` may be set in place of \`NAME\`: the path of a file whose content is the value.

${settingsTable()}
${(await Promise.all(sections)).join("")}`;
}

const blockOf = (text: string): string => `\`\`\`text\n${text}\n\`\`\`\n`;

// Without the banner of a tool, whose words change with its versions.
const typesOf = async (): Promise<string> =>
  openapiTS((await describeApi()) as object as OpenAPI3, { commentHeader: "" });
