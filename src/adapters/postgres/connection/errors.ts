import { DomainError, emailTaken } from "../../../domain/error.ts";
import { isReported } from "./link.ts";

/** SQLSTATEs and codes of Node and postgres.js that say that the connection is lost, or that the server takes none. */
const lost = [
  /^08/, // connection exception
  /^25006$/, // read only: a standby, or a primary that has just become one
  /^25P0[34]$/, // ended by a time-out of transactions
  /^53300$/, // too many connections
  /^57P0/, // shutting down, starting up, terminated
  /^CONNECTION_/,
  /^E[A-Z]+$/, // of the operating system
  /^ERR_SSL_/,
];

const isLost = (code: string): boolean => lost.some(pattern => pattern.test(code));

/** After an error that the server reports in good order its connection goes on; after any other it may be in any state. */
export const endsConnection = (error: unknown): boolean => !isReported(error) || isLost(error.code);

/** Whether PostgreSQL has reported that it refuses the statement: it has done nothing, and its connection goes on. */
export const isRefused = (error: unknown): boolean =>
  !endsConnection(error instanceof DomainError ? error.cause : error);

/**
 * Persistence failures in the words of the domain: a constraint becomes CONFLICT, a lost
 * connection UNAVAILABLE. Whatever else PostgreSQL refuses, a deadlock or a full disk among it, stays as it is, and so
 * becomes a 500.
 */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint_name: constraint } = error as { code?: unknown; constraint_name?: unknown };
  if (typeof code !== "string") return error;
  if (isLost(code)) {
    return new DomainError("UNAVAILABLE", "The database is not available", { cause: error });
  }
  if (constraint === "employee_email_key") return emailTaken();
  if (code.startsWith("23")) {
    return new DomainError("CONFLICT", "The request conflicts with what is stored", { cause: error });
  }
  return error;
}
