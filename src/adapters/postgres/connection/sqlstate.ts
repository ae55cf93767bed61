import { collided, DomainError, emailTaken, unavailable } from "../../../domain/error.ts";
import { isReported, type ReportedError } from "./driver.ts";

const states = {
  insufficientPrivilege: "42501",
  undefinedTable: "42P01",
  undefinedObject: "42704",
  /** Of sql/freeze_schema.sql. */
  frozenSchema: "55000",
};

/** Whether PostgreSQL has refused a statement for this reason. */
export const hasState = (error: unknown, state: keyof typeof states): boolean =>
  (error as { code?: unknown }).code === states[state];

/** Whether PostgreSQL has refused a statement because of one of these constraints. */
export const violates = (error: unknown, ...constraints: readonly string[]): boolean =>
  constraints.includes(String((error as { constraint_name?: unknown }).constraint_name));

/** SQLSTATEs that say that the connection is lost, or that the server takes none. */
const lost = [
  /^08/, // connection exception
  /^25006$/, // read only: a standby, or a primary that has just become one
  /^25P0[34]$/, // ended by a time-out of transactions
  /^53300$/, // too many connections
  /^57P0/, // shutting down, starting up, terminated
];

/** Whether PostgreSQL has reported it, and the connection goes on. */
const isOfStatement = (error: unknown): error is ReportedError =>
  isReported(error) && !lost.some(pattern => pattern.test(error.code));

/**
 * Whether PostgreSQL has reported that it refuses the statement: it has done nothing, and its connection goes on. After any
 * other error the statement may have been done, and the connection may be in any state.
 */
export function isRefused(error: unknown): boolean {
  return isOfStatement(error instanceof DomainError ? error.cause : error);
}

/**
 * A transaction that PostgreSQL has undone because of another one: a serialization failure or a deadlock. It may succeed when it is
 * tried again (PostgreSQL documentation, 13.5).
 */
const collisions = ["40001", "40P01"];

/** What each unique constraint that a request can break means to the client. */
export const uniqueConstraints = { employee_email_key: emailTaken };

/**
 * Persistence failures in the words of the domain: a constraint of `uniqueConstraints` becomes CONFLICT; a collision, and what
 * PostgreSQL has not reported, such as a lost connection or a result that cannot be read, UNAVAILABLE. Whatever else PostgreSQL
 * refuses, an id that is taken or a full disk among it, stays as it is, and so becomes a 500 with an event: no client can mend it.
 *
 * @param server to which the connection was, for the cause of UNAVAILABLE
 */
export function translate(error: unknown, server: string): unknown {
  if (!isOfStatement(error)) {
    // Wrapped, so that `isRefused` is false for it.
    const { message } = error instanceof Error ? error : new Error(String(error));
    return unavailable(new Error(`${server}: ${message}`, { cause: error }));
  }
  if (collisions.includes(error.code)) return collided(error);
  for (const [name, conflict] of Object.entries(uniqueConstraints))
    if (violates(error, name)) return conflict(error);
  return error;
}
