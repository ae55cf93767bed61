import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderPages } from "./api-docs/render.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

/** `make docs`: makes the pages of docs/ that show the API, against a service and a database of their own. */
const database = await startEmbeddedPostgres();
try {
  mkdirSync("docs", { recursive: true });
  for (const [name, text] of Object.entries(await renderPages(database.url))) {
    writeFileSync(join("docs", name), text);
  }
} finally {
  await database.close();
}
