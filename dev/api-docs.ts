import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderPages } from "./api-docs/render.ts";
import { withCounts } from "./audit-page.ts";

/** `make docs`: makes the pages of docs/ that show the API, the commands and the settings, and what docs/audit.md counts. */
writeFileSync("docs/audit.md", withCounts(readFileSync("docs/audit.md", "utf8")));
for (const [name, text] of Object.entries(await renderPages())) {
  writeFileSync(join("docs", name), text);
}
