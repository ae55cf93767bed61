import { isUnavailable } from "../domain/error.ts";

/** The database can be reached and cannot serve this program; the message says why, and what the operator can do. */
export class UnsuitableDatabase extends Error {
  override readonly name = "UnsuitableDatabase";
}

/** To a statement, a database of which no connection will do is not available. Returns what is wrong with the database then. */
export function unsuitabilityOf(error: unknown): UnsuitableDatabase | undefined {
  const cause = isUnavailable(error) ? error.cause : error;
  return cause instanceof UnsuitableDatabase ? cause : undefined;
}
