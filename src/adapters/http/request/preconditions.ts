import type { IncomingHttpHeaders } from "node:http";
import { recordChanged } from "../../../domain/error.ts";
import { isAny } from "../api/entity-tag.ts";
import type { Route } from "../api/route.ts";

/**
 * Refuses a change whose precondition cannot hold, because what is changed has no entity tag: no tag that the client names
 * matches, and `*` matches whatever exists (RFC 9110, sections 13.1.1 and 13.1.2). Other routes declare these headers.
 *
 * @throws CHANGED; NOT_FOUND where nothing is there
 */
export async function refusePreconditions(
  { method, role, headers: declared = {}, exists }: Route,
  { "if-match": ifMatch, "if-none-match": ifNoneMatch }: IncomingHttpHeaders,
  id: number | undefined,
): Promise<void> {
  if (method === "GET" || role === "NONE" || "If-Match" in declared) return;
  const isMet =
    (ifMatch === undefined || isAny(ifMatch)) &&
    (ifNoneMatch === undefined || method === "POST" || !isAny(ifNoneMatch));
  if (isMet) return;
  if (id !== undefined) await exists?.(id);
  throw recordChanged();
}
