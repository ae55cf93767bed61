import { readOpenApi } from "../adapters/http/api/openapi.ts";
import type { CommandContext } from "./command.ts";

export async function runOpenApi({ write }: CommandContext): Promise<void> {
  await write(`${(await readOpenApi()).trimEnd()}\n`);
}
