import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderPages } from "./api-docs/render.ts";
import { withCounts } from "./audit-page.ts";
import { settingsTable } from "./settings-table.ts";

/**
 * `make docs`: makes the pages of docs/ that show the API and the commands, the table of settings in README.md, and what
 * docs/audit.md counts.
 */
const readme = readFileSync("README.md", "utf8");
writeFileSync(
  "README.md",
  readme.replace(/^\| Setting \|.*\n(?:\|.*\n)+/m, () => `${settingsTable()}\n`),
);
writeFileSync("docs/audit.md", withCounts(readFileSync("docs/audit.md", "utf8")));
for (const [name, text] of Object.entries(await renderPages())) {
  writeFileSync(join("docs", name), text);
}
