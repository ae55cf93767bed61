import { readFileSync } from "node:fs";
import openapiTS, { type OpenAPI3 } from "openapi-typescript";
import { commands } from "../../src/commands/commands.ts";
import { helpOf } from "../../src/commands/help.ts";
import { evidencePage } from "../evidence-page.ts";
import { settingsList } from "../settings-list.ts";
import { describeApi, openApiText } from "./describe.ts";
import { boundsTable, routesList, withTable } from "./made-tables.ts";
import { apiPage } from "./page/page.ts";

/** The pages that are made, or have tables that are, by path. */
export const renderPages = async (): Promise<Readonly<Record<string, string>>> => ({
  "README.md": withTable(readFileSync("README.md", "utf8"), "routes", routesList()),
  "docs/reference.md": withTable(readFileSync("docs/reference.md", "utf8"), "lengths", boundsTable()),
  "docs/api.html": apiPage(describeApi()),
  "docs/openapi.json": openApiText(),
  "docs/commands.md": await commandsPage(),
  "docs/evidence.md": evidencePage(),
  "docs/api.d.ts": `/** Types of the API for TypeScript clients. Made by \`make docs\`. */\n${await typesOf()}`,
});

/** The first lines of each `--help`, but for the command that only a script of the package runs, and all settings. */
async function commandsPage(): Promise<string> {
  const names = Object.keys(commands).filter(name => name !== "restored");
  const items = names.map(async name => {
    const [usage = "", , summary = ""] = (await helpOf(name, "")).split("\n");
    return `- \`${usage.replace("usage:  ", "")}\`: ${summary.replace(`${name}: `, "")}\n`;
  });
  return `# Commands

Write \`maintenance-log\` before each command ([\`serve\` and \`migrate\` are units](operations.md#settings)), or without the package \`node dist/main.js\`. \`--help\` after a command explains its options, exit codes and settings; \`--version\` prints the version. Made by \`make docs\`.

${(await Promise.all(items)).join("")}- \`restore [--test] [--gives-up RECORDS] [DUMP]\`, of the package alone: put a dump in place of the live database, or only [test](operations.md#test-a-restore) a dump.
- \`set-up [NAME]\`, of the package alone: make the secrets, the roles and the database that are missing; NAME is that of the trail.

## Settings

Settings come from the environment. \`NAME_FILE\` may be set in place of \`NAME\`: the path of a file whose content is the value. The package takes secrets and database URLs from [credentials](../SECURITY.md#secrets).

${settingsList()}
`;
}

// Without the banner of a tool, whose words change with its versions.
const typesOf = async (): Promise<string> =>
  openapiTS((await describeApi()) as object as OpenAPI3, { commentHeader: "" });
