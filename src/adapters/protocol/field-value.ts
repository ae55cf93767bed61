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
interface EntityTag {
  readonly isWeak: boolean;
  readonly text: string;
}

export type EntityTags = "*" | readonly EntityTag[];

/** What a sticky pattern matches in a text, one match after the other; undefined where they do not reach its end. */
function matchesOf(pattern: RegExp, text: string): readonly RegExpExecArray[] | undefined {
  const found = [...text.matchAll(pattern)];
  const length = found.reduce((sum, [match]) => sum + match.length, 0);
  return length === text.length ? found : undefined;
}

/** The members of a list (section 5.6.1), of which none may have a comma of its own. Empty ones count as none. */
export const membersOf = (text: string): string[] =>
  text
    .split(",")
    .map(member => member.trim())
    .filter(member => member !== "");

const mediaType = /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[\t ]*/;
const parameter =
  /;[\t ]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*)")[\t ]*)?/gy;

/** Reads a media type with its parameters (sections 5.6.6 and 8.3.1); undefined for what is none. */
export function readMediaType(text: string): MediaType | undefined {
  const [begin = "", type] = mediaType.exec(text) ?? [];
  const found = matchesOf(parameter, text.slice(begin.length));
  if (type === undefined || found === undefined) return undefined;
  const parameters = found.flatMap(([, name, token, quoted = ""]) =>
    name === undefined ? [] : [[name.toLowerCase(), token ?? unescaped(quoted)] as const],
  );
  return { type: type.toLowerCase(), parameters };
}

/** What a quoted string means (section 5.6.4), whose quotation marks have been taken off. */
const unescaped = (quoted: string): string => quoted.replace(/\\(.)/g, "$1");

const entityTag = /(W\/)?("[!#-~\x80-\xff]*")[\t ]*(?:,[\t ,]*|$)/gy;

/** Reads `*` or a list of entity tags (sections 8.8.3 and 13.1.1); undefined for what is neither. */
export function readEntityTags(text: string): EntityTags | undefined {
  if (text === "*") return "*";
  const found = matchesOf(entityTag, text.replace(/^[\t ,]+/, ""));
  return found?.map(([, weak, tag = ""]) => ({ isWeak: weak !== undefined, text: tag }));
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
