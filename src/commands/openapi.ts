import { readOpenApi } from "../adapters/http/api/openapi.ts";
import type { CommandContext } from "./command.ts";

/** `openapi`: prints the OpenAPI document that `GET /openapi.json` sends; needs no settings and no database. */
export async function runOpenApi({ write }: CommandContext): Promise<void> {
  await write(`${(await readOpenApi()).trimEnd()}\n`);
}
