import { writeFileSync } from "node:fs";
import { renderPages } from "./api-docs/render.ts";

/** `make docs`. */
for (const [path, text] of Object.entries(await renderPages())) writeFileSync(path, text);
