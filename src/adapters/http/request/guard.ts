import type { Authentication } from "../../../application/authentication.ts";
import type { Caller } from "../../../application/ports.ts";
import { DomainError, performerUnknown, tokenNotValid, unauthorized } from "../../../domain/error.ts";
import { mayAct } from "../../../domain/role.ts";
import { HttpError } from "../api/http-error.ts";
import type { GuardedRoute } from "../api/route.ts";
import type { RequestDetails } from "./request-log.ts";
import type { FoundRoute } from "./router.ts";
import { readId } from "./target.ts";

/** A route that the caller may use, and what its path has in the place of `{id}` or `{path}`. */
export interface Admitted {
  readonly route: GuardedRoute;
  readonly id: number | undefined;
  readonly path: string | undefined;
  readonly caller: Caller;
}

/**
 * Checks token, path and method, role, and form of the id, in this order.
 *
 * @param details gets the caller, also when the role is refused
 */
export async function admit(
  { identify }: Pick<Authentication, "identify">,
  authorization: string | undefined,
  found: FoundRoute<GuardedRoute> | HttpError,
  details: RequestDetails,
): Promise<Admitted> {
  const identity = await identify(readToken(authorization));
  if (identity.kind === "employee") details.employeeId = identity.caller.employeeId;
  const recordsCaller = !(found instanceof HttpError) && found.route.recordsCaller === true;
  if (identity.kind === "unknown employee") {
    const { employeeId } = identity;
    throw recordsCaller ? performerUnknown(employeeId) : tokenNotValid(employeeId);
  }
  if (found instanceof HttpError) throw found;
  if (identity.kind !== "employee") {
    const code = recordsCaller && identity.kind === "no username" ? "UNAUTHENTICATED" : "TOKEN_REFUSED";
    const { employeeId } = identity;
    throw new DomainError(code, "No user was added from the token", { employeeId });
  }
  const { route } = found;
  const { caller } = identity;
  if (!mayAct(caller.role, route.role)) throw unauthorized();
  const id = found.id === undefined ? undefined : readId(found.id);
  if (route.ownIdOnly === true && id !== caller.employeeId) throw unauthorized();
  return { route, id, path: found.path, caller };
}

function readToken(authorization: string | undefined): string {
  if (authorization === undefined) throw new DomainError("TOKEN_MISSING", "Token is missing");
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw tokenNotValid();
  return token;
}
