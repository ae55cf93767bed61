import { hash } from "node:crypto";
import { optional, rule } from "../../../domain/field.ts";
import type { RouteResult } from "./route.ts";

const tags = () =>
  optional(
    rule({ type: "string" }, value => String(value)),
    undefined,
  );

/** The header field of a route whose responses have an entity tag. */
export const ifNoneMatchFields = { "If-None-Match": tags() };
/** Those of a route that changes what has an entity tag. */
export const preconditionFields = { "If-Match": tags(), "If-None-Match": tags() };

/** Strong: it is made of all that is sent, such as the names of today in a log that never changes (RFC 9110, section 8.8.3). */
const tagOf = (body: string): string => `"${hash("sha256", body, "base64url")}"`;

/** Content with its entity tag. */
export function tagged(content: object, headers: RouteResult["headers"] = {}): RouteResult {
  const body = JSON.stringify(content);
  return { body, headers: { ...headers, ETag: tagOf(body) } };
}

/** Content with an entity tag, or word that the client has it already (RFC 9110, section 13.1.2). */
export function unlessMatched(ifNoneMatch: string | undefined, content: object): RouteResult {
  const result = tagged(content);
  const tag = result.headers?.["ETag"] ?? "";
  return isNamed(ifNoneMatch, tag) ? { headers: { ETag: tag }, isNotModified: true } : result;
}

/**
 * Whether content is as the client says that it must be for a change (RFC 9110, sections 13.1.1 and 13.1.2); undefined when
 * the client says nothing.
 */
export function preconditionOf({
  "If-Match": ifMatch,
  "If-None-Match": ifNoneMatch,
}: {
  readonly "If-Match"?: string | undefined;
  readonly "If-None-Match"?: string | undefined;
}): ((content: object) => boolean) | undefined {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return content => {
    const tag = tagOf(JSON.stringify(content));
    return (ifMatch === undefined || isNamedStrongly(ifMatch, tag)) && !isNamed(ifNoneMatch, tag);
  };
}

/** Whether a list of tags means every one. */
export const isAny = (list: string): boolean => list.trim() === "*";

/** The comparison is the weak one: whether a proxy has made a tag weak on its way does not matter. */
const isNamed = (list = "", tag: string): boolean =>
  isAny(list) || (list.match(/"[^"]*"/g)?.includes(tag) ?? false);

/** A weak tag names nothing: the content may differ. */
const isNamedStrongly = (list: string, tag: string): boolean =>
  isAny(list) || (list.match(/(W\/)?"[^"]*"/g)?.includes(tag) ?? false);
