import type { Caller } from "../../../application/ports.ts";
import { tokenRevoked } from "../../../domain/error.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";

/** Whether a token of the employee in a row is not revoked (`isLive` in sessions.ts). */
export const isLiveRow = (tokenVersion: number | Statement, tokenId: string | null | Statement): Statement =>
  sql`employee.active and (employee.token_version = ${tokenVersion} or employee.surviving_token_id = ${tokenId})`;
const isLiveOf = ({ tokenVersion, tokenId }: Caller) => isLiveRow(tokenVersion, tokenId ?? null);

/**
 * Stands in the `where` of each statement that writes for a caller, but for new logs (`isLiveRow` in log-append.ts), so that it writes
 * nothing once the caller's token is revoked.
 *
 * @param target the employee who is changed. If that is the caller, the statement may wait for the revocation itself: PostgreSQL then
 *   checks the condition on the revoked row, whereas a subquery would still see the row before.
 */
export function mayWrite(by: Caller, target?: number): Statement {
  if (by.employeeId === target) return isLiveOf(by);
  return sql`exists (select from employee where id = ${by.employeeId} and ${isLiveOf(by)})`;
}

/** Throws TOKEN_REFUSED if that is why a statement wrote nothing. */
export async function refuseRevoked({ query }: Database, by: Caller): Promise<void> {
  const [row] = await query<{ mayWrite: boolean }>(sql`select ${mayWrite(by)} as "mayWrite"`);
  if (row?.mayWrite !== true) throw tokenRevoked();
}
