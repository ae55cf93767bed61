import { isUnavailable } from "../domain/error.ts";

/** The database can be reached and cannot serve this program; the message says why, and what the operator can do. */
export class UnsuitableDatabase extends Error {
  override readonly name = "UnsuitableDatabase";
}

/** What is wrong with the database, also where a statement has thrown UNAVAILABLE because no connection would do. */
export function unsuitabilityOf(error: unknown): UnsuitableDatabase | undefined {
  const cause = isUnavailable(error) ? error.cause : error;
  return cause instanceof UnsuitableDatabase ? cause : undefined;
}
