import { readOpenApi } from "../adapters/http/api/openapi.ts";
import { refuseArguments, type Surroundings } from "./command.ts";

/** `openapi`: prints the OpenAPI document that `GET /openapi.json` answers; needs no settings and no database. */
export async function runOpenApi({ args, print }: Surroundings): Promise<void> {
  refuseArguments(args);
  print((await readOpenApi()).trimEnd());
}
