import { readFile } from "node:fs/promises";

/** The OpenAPI document of the route table. `make docs` makes it, and a test fails when it is stale. */
export const readOpenApi = (): Promise<string> =>
  readFile(new URL("../../../../docs/openapi.json", import.meta.url), "utf8");
