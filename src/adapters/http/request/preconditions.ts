import type { IncomingHttpHeaders } from "node:http";
import { isAny } from "../api/entity-tag.ts";
import type { Route } from "../api/route.ts";

/**
 * Whether a change may be made of what has no entity tag: no tag that the client names matches, and `*` matches whatever
 * exists (RFC 9110, sections 13.1.1 and 13.1.2). Always true of the routes that declare `If-Match`: they decide for themselves.
 */
export function meetsPreconditions(
  { method, role, headers: declared = {} }: Route,
  { "if-match": ifMatch, "if-none-match": ifNoneMatch }: IncomingHttpHeaders,
): boolean {
  if (method === "GET" || role === "NONE" || "If-Match" in declared) return true;
  return (
    (ifMatch === undefined || isAny(ifMatch)) &&
    (ifNoneMatch === undefined || method === "POST" || !isAny(ifNoneMatch))
  );
}
