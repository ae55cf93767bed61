import { recordChanged } from "../../../domain/error.ts";
import type { Preconditions } from "../../protocol/request-head.ts";
import type { Route } from "../api/route.ts";

/**
 * Throws CHANGED where a change is asked for of what has no entity tag, and the client names one: none matches, and `*` matches
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
