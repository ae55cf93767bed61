import { readFile } from "node:fs/promises";

/** A document of the route table, which `make docs` makes. A test fails when it is stale. */
export const readMade = (name: "api.html" | "openapi.json"): Promise<string> =>
  readFile(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
