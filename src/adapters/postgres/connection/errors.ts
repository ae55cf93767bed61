import { DomainError, emailTaken } from "../../../domain/error.ts";

/** SQLSTATEs and codes of Node and postgres.js after which a connection is of no more use. */
const ending = [
  /^08/, // connection exception
  /^25006$/, // read only: a standby, or a primary that has just become one
  /^25P0[34]$/, // ended by a time-out of transactions
  /^57P0/, // shutting down, starting up, terminated
  /^CONNECTION_/,
  /^E(CONNRESET|PIPE|PROTO|TIMEDOUT|HOSTUNREACH|NETUNREACH)$/,
  /^ERR_SSL_/,
];
/**
 * No room on the disk, no memory, no further connection; rolled back because of what else ran at that moment; cancelled,
 * by lock_timeout or statement_timeout for example. Nothing was written, and the same statement may succeed later.
 */
const passing = /^(53|40|55P03$|57014$)/;
const constraintViolation = /^23/;

export const endsConnection = (code: string): boolean => ending.some(pattern => pattern.test(code));

/**
 * Persistence failures in the words of the domain (specification, section 7): a constraint becomes CONFLICT,
 * a lost connection, or a server that cannot do it now, UNAVAILABLE. Whatever else goes wrong stays as it is, and so becomes a 500.
 */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint_name: constraint } = error as { code?: unknown; constraint_name?: unknown };
  if (typeof code !== "string") return error;
  if (endsConnection(code) || passing.test(code)) {
    return new DomainError("UNAVAILABLE", "The database is not available", { cause: error });
  }
  if (constraint === "employee_email_key") return emailTaken();
  if (constraintViolation.test(code)) {
    return new DomainError("CONFLICT", "The request conflicts with what is stored", { cause: error });
  }
  return error;
}
