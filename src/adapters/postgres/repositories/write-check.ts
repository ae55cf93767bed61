import type { Author, Caller } from "../../../application/ports.ts";
import { tokenRevoked } from "../../../domain/error.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";

/** As the trail has it: an employee's id, or null for the operator. */
export const askedBy = (by: Author): number | null => (by === "operator" ? null : by.employeeId);

/** Whether a row of employee is that of the caller, and the token is not revoked (`isLive` in sessions.ts). */
export const isLive = (tokenVersion: number | Statement, tokenId: string | null | Statement): Statement =>
  sql`employee.active and (employee.token_version = ${tokenVersion} or employee.surviving_token_id = ${tokenId})`;
const isLiveOf = ({ tokenVersion, tokenId }: Caller) => isLive(tokenVersion, tokenId ?? null);

/**
 * Stands in the `where` of each statement that writes, so that it writes nothing once the caller's token is revoked.
 *
 * @param target the employee who is changed. A change of the caller's own row can wait there for the revocation itself:
 *   then the row decides as it is after the wait, and not as it was before, as in a subquery.
 */
export function mayWrite(by: Author, target?: number): Statement {
  if (by === "operator") return sql`true`;
  if (by.employeeId === target) return isLiveOf(by);
  return sql`exists (select from employee where id = ${by.employeeId} and ${isLiveOf(by)})`;
}

/** Throws TOKEN_REFUSED if that is why a statement wrote nothing. */
export async function refuseRevoked({ query }: Database, by: Author): Promise<void> {
  const [row] = await query<{ mayWrite: boolean }>(sql`select ${mayWrite(by)} as "mayWrite"`);
  if (row?.mayWrite !== true) throw tokenRevoked();
}
