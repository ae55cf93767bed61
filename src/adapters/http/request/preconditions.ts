import { recordChanged } from "../../../domain/error.ts";
import type { Preconditions } from "../../protocol/request-head.ts";
import type { Route } from "../api/route.ts";

/**
 * For a change of a record without an entity tag: throws CHANGED when the client names one, since none matches. `*` matches
 * whatever exists (RFC 9110, sections 13.1.1 and 13.1.2).
 */
export function refuseUnmetWithoutTag(
  { method, role, hasEntityTag }: Pick<Route, "method" | "role" | "hasEntityTag">,
  { ifMatch, ifNoneMatch }: Preconditions,
): void {
  if (method === "GET" || role === "NONE" || hasEntityTag) return;
  const isWanted = ifMatch === undefined || ifMatch === "*";
  if (!isWanted || (ifNoneMatch === "*" && method !== "POST")) throw recordChanged();
}
