import { isIPv6 } from "node:net";

/*
 * The values of header fields, read by their grammar (RFC 9110, section 5.6). Every function takes time in proportion to the
 * length of its text, whatever a client has written there.
 */

export interface MediaType {
  /** Type and subtype, in lower case. */
  readonly type: string;
  /** Names in lower case, and values without the quotation marks and backslashes of a quoted string. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** An entity tag; its text has the quotation marks. */
export interface EntityTag {
  readonly isWeak: boolean;
  readonly text: string;
}

/** The tags that a client names, or `*`. */
export type EntityTags = "*" | readonly EntityTag[];

/** A position in a text, from which sticky patterns are read one after the other. */
class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
}

/** The members of a list (section 5.6.1), of which none may have a comma of its own. Empty ones count as none. */
export const membersOf = (text: string): string[] =>
  text
    .split(",")
    .map(member => member.trim())
    .filter(member => member !== "");

const mediaType = /([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[\t ]*/y;
const semicolon = /;[\t ]*/y;
const parameter =
  /([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*)")[\t ]*/y;

/** Reads a media type with its parameters (sections 5.6.6 and 8.3.1); undefined for what is none. */
export function readMediaType(text: string): MediaType | undefined {
  const cursor = new Cursor(text);
  const [, type] = cursor.take(mediaType) ?? [];
  if (type === undefined) return undefined;
  const parameters: [string, string][] = [];
  while (!cursor.isAtEnd) {
    if (cursor.take(semicolon) === undefined) return undefined;
    const [, name, token, quoted = ""] = cursor.take(parameter) ?? [];
    if (name !== undefined) parameters.push([name.toLowerCase(), token ?? unescaped(quoted)]);
  }
  return { type: type.toLowerCase(), parameters };
}

/** What a quoted string means (section 5.6.4), whose quotation marks have been taken off. */
const unescaped = (quoted: string): string => quoted.replace(/\\(.)/g, "$1");

const gap = /[\t ,]*/y;
const entityTag = /(W\/)?("[!#-~\x80-\xff]*")[\t ]*(?:,[\t ,]*|$)/y;

/** Reads `*` or a list of entity tags (sections 8.8.3 and 13.1.1); undefined for what is neither. */
export function readEntityTags(text: string): EntityTags | undefined {
  if (text === "*") return "*";
  const cursor = new Cursor(text);
  cursor.take(gap);
  const tags: EntityTag[] = [];
  while (!cursor.isAtEnd) {
    const [, weak, tag] = cursor.take(entityTag) ?? [];
    if (tag === undefined) return undefined;
    tags.push({ isWeak: weak !== undefined, text: tag });
  }
  return tags;
}

const hostAndPort = /^(?:\[([\da-f:.]+)\]|((?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+))(?::(\d*))?$/i;

/** Reads a host, in brackets if it is an IPv6 address, and perhaps a port (section 7.2); undefined for what is none. */
export function readHost(text: string): string | undefined {
  const [, address, name, port = ""] = hostAndPort.exec(text) ?? [];
  if (Number(port) > 65_535 || (address !== undefined && !isIPv6(address))) return undefined;
  return address ?? name;
}

/** The text of a quoted string that is all there is, or the text as it is. */
export function unquoted(text: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(text) ?? [];
  return quoted === undefined ? text : unescaped(quoted);
}
