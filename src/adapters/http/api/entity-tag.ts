import { hash } from "node:crypto";
import { recordChanged } from "../../../domain/error.ts";
import type { EntityTags } from "../../protocol/field-value.ts";
import type { Preconditions } from "../../protocol/request-head.ts";

/** A strong tag (RFC 9110, section 8.8.3): the hash of the whole text. A log never changes, but the names in its text can. */
export const tagOf = (body: string): string => `"${hash("sha256", body, "base64url")}"`;

/**
 * Whether a client that reads has the content of this tag already (RFC 9110, section 13.2.2).
 *
 * @throws CHANGED when `If-Match` names other content
 */
export function isMatched({ ifMatch, ifNoneMatch }: Preconditions, tag: string): boolean {
  if (ifMatch !== undefined && !isNamedStrongly(ifMatch, tag)) throw recordChanged();
  return isNamed(ifNoneMatch, tag);
}

/** Whether content meets the preconditions of a change; undefined when the client has sent none. */
export function expectationOf({ ifMatch, ifNoneMatch }: Preconditions) {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return (content: object): boolean => {
    const tag = tagOf(JSON.stringify(content));
    return (ifMatch === undefined || isNamedStrongly(ifMatch, tag)) && !isNamed(ifNoneMatch, tag);
  };
}

/** The comparison is the weak one: whether a proxy has made a tag weak on its way does not matter. */
const isNamed = (tags: EntityTags = [], tag: string): boolean =>
  tags === "*" || tags.some(({ text }) => text === tag);

/** A weak tag names nothing: the content may differ. */
const isNamedStrongly = (tags: EntityTags, tag: string): boolean =>
  tags === "*" || tags.some(({ text, isWeak }) => text === tag && !isWeak);
