import { DomainError, emailTaken } from "../../../domain/error.ts";

/** SQLSTATEs and codes of Node and postgres.js that mean: the database cannot be reached or used now. */
const unavailable = [
  /^08/, // connection exception
  /^28/, // invalid authorization
  /^3D000$/, // no such database
  /^25006$/, // read only: a standby, or a primary that has just become one
  /^53300$/, // too many connections
  /^57P0/, // shutting down, starting up, terminated
  /^CONNECT(ION)?_/,
  /^E(CONNRESET|CONNREFUSED|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT|ACCES)$/,
];
const constraintViolation = /^23/;

export const isUnavailable = (code: string): boolean => unavailable.some(pattern => pattern.test(code));

/**
 * Persistence failures in the words of the domain (specification, section 7): a constraint becomes CONFLICT,
 * a lost connection UNAVAILABLE. Whatever else goes wrong stays as it is, and so becomes a 500.
 */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint_name: constraint } = error as { code?: unknown; constraint_name?: unknown };
  if (typeof code !== "string") return error;
  if (isUnavailable(code)) {
    return new DomainError("UNAVAILABLE", "The database is not available", { cause: error });
  }
  if (constraint === "employee_email_key") return emailTaken();
  if (constraintViolation.test(code)) {
    return new DomainError("CONFLICT", "The request conflicts with what is stored", { cause: error });
  }
  return error;
}
