import type { Caller } from "../../../application/ports.ts";
import type { Sessions } from "../../../application/sessions.ts";
import {
  DomainError,
  forbidden,
  invalid,
  performerUnknown,
  recordChanged,
  tokenNotValid,
} from "../../../domain/error.ts";
import { mayAct } from "../../../domain/role.ts";
import type { Preconditions } from "../../protocol/request-head.ts";
import type { Route } from "../api/route.ts";
import type { Exchange } from "./exchange.ts";
import type { Found } from "./router.ts";

/**
 * Finds out who asks.
 *
 * @param recordsCaller whether the route puts the caller on record: then a token without an employee is 401
 * @throws TOKEN_MISSING, TOKEN_REFUSED or UNAUTHENTICATED
 */
export async function identify(
  sessions: Pick<Sessions, "identify">,
  authorization: string | undefined,
  recordsCaller = false,
): Promise<Caller> {
  const holder = await sessions.identify(readToken(authorization));
  if (holder.kind === "employee") return holder.caller;
  const { kind, employeeId } = holder;
  if (kind === "unknown employee")
    throw recordsCaller
      ? performerUnknown(employeeId)
      : tokenNotValid("no employee has its username", employeeId);
  const code = recordsCaller && kind === "no username" ? "UNAUTHENTICATED" : "TOKEN_REFUSED";
  throw new DomainError(code, "No user was added from the token", { reason: kind, employeeId });
}

/**
 * Throws FORBIDDEN unless the route is for the caller (an open route is for everybody), INVALID where the path has an id that is
 * none, and FORBIDDEN where the route is for the caller's own id only.
 */
export function authorize(
  { route: { role, ownIdOnly }, id: sentId }: Found,
  { caller, recordId: id }: Pick<Exchange, "caller" | "recordId">,
): void {
  if (role !== "NONE" && (caller === undefined || !mayAct(caller.role, role))) throw forbidden();
  if (sentId !== undefined && id === undefined) throw invalid("Invalid id");
  if (ownIdOnly === true && id !== caller?.employeeId) throw forbidden();
}

/**
 * Checks the preconditions of a request that makes a record, or changes a record without an entity tag; a login (`NONE`) does neither.
 * Throws CHANGED if `If-Match` names a tag, which no such record has, or if `If-None-Match: *` asks for a record that does not exist
 * (RFC 9110, sections 13.1.1 and 13.1.2).
 */
export function checkPreconditionsWithoutTag(
  { method, role, result }: Pick<Route, "method" | "role" | "result">,
  { ifMatch, ifNoneMatch }: Preconditions,
): void {
  const isMade = method === "POST";
  if (method === "GET" || role === "NONE" || (result.isTagged && !isMade)) return;
  const namesTag = ifMatch !== undefined && ifMatch !== "*";
  if (namesTag || (ifNoneMatch === "*" && !isMade)) throw recordChanged();
}

function readToken(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new DomainError("TOKEN_MISSING", "Token is missing", { reason: "missing" });
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw tokenNotValid("not a bearer token");
  return token;
}
