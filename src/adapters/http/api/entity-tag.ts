import { hash } from "node:crypto";
import { optional, rule } from "../../../domain/field.ts";
import type { Answer } from "./route.ts";

/** The header field of a route whose responses have an entity tag. */
export const ifNoneMatchFields = {
  "If-None-Match": optional(
    rule({ type: "string" }, value => String(value)),
    undefined,
  ),
};

/**
 * Content with an entity tag, or word that the client has it already (RFC 9110, sections 8.8.3 and 13.1.2).
 * The tag is strong: it is made of all that is sent, such as the names of today in a log that never changes.
 */
export function unlessMatched(ifNoneMatch: string | undefined, content: object): Answer {
  const body = JSON.stringify(content);
  const tag = `"${hash("sha256", body, "base64url")}"`;
  const headers = { ETag: tag };
  return isMatched(ifNoneMatch, tag) ? { headers, isNotModified: true } : { body, headers };
}

/** The comparison is the weak one: whether a proxy has made a tag weak on its way does not matter. */
const isMatched = (ifNoneMatch = "", tag: string): boolean =>
  ifNoneMatch.trim() === "*" || (ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false);
