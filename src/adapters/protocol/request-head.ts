import type { IncomingMessage } from "node:http";
import { HttpError } from "./error-response.ts";
import {
  type EntityTags,
  type MediaType,
  membersOf,
  readEntityTags,
  readHost,
  readMediaType,
} from "./field-value.ts";

/** A limit of its own: a header takes about fifty times the two bytes that Node's parser counts for the smallest one. */
export const mostHeaders = 100;

/** What the header fields of a request mean. */
export type RequestHead = ReturnType<typeof readHead>;

/** What the client requires of the current content (RFC 9110, section 13.1). */
export interface Preconditions {
  readonly ifMatch: EntityTags | undefined;
  readonly ifNoneMatch: EntityTags | undefined;
}

/** Header fields that must not be repeated. Node would drop the second one, or join it to the first. */
const singular = ["Host", "Authorization", "Content-Type", "Idempotency-Key"];

const json: MediaType = { type: "application/json", parameters: [] };

/**
 * Reads the head of a request, once. Refuses what Node would accept, or refuse without a body (RFC 9110, sections 2.5, 5.3,
 * 10.1.1 and 13.1; RFC 9112, sections 3.2 and 6.1).
 *
 * @throws HttpError 400, 417, 431, 501 or 505
 */
export function readHead(request: Pick<IncomingMessage, "headers" | "rawHeaders" | "httpVersion">) {
  const { headers, rawHeaders, httpVersion } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") throw versionNotSupported();
  if (rawHeaders.length > 2 * mostHeaders) throw headTooLarge();
  const repeated = findRepeated(rawHeaders);
  if (repeated !== undefined) throw new HttpError(400, `${repeated} header must not be repeated`);
  checkHost(headers.host, httpVersion);
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") throw codingNotSupported();
  const { "content-type": type, "content-encoding": encoding, expect } = headers;
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  return {
    /** JSON if the client sent none; undefined if it is malformed. */
    contentType: type === undefined ? json : readMediaType(type),
    /** Codings of the body, in lower case. */
    contentCodings: membersOf(encoding?.toLowerCase() ?? ""),
    // A client of HTTP/1.0 would take an interim response for the response.
    expectsContinue: expect !== undefined && expectsContinue(expect) && httpVersion !== "1.0",
    ifMatch: ifMatch === undefined ? undefined : readIfMatch(ifMatch),
    ifNoneMatch: ifNoneMatch === undefined ? undefined : readEntityTags(ifNoneMatch),
  };
}

/** Whether no next request can be read: after an upgrade Node reads none, and HTTP/1.0 has no Transfer-Encoding (RFC 9112, section 6.1). */
export const isLastReadable = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.upgrade !== undefined || (httpVersion === "1.0" && headers["transfer-encoding"] !== undefined);

/** Node's parser does not tell which of them, and newer ones refuse too many fields themselves. */
export const headTooLarge = (): HttpError =>
  new HttpError(431, "Request target or header fields are too large");

export const codingNotSupported = (): HttpError => new HttpError(501, "Transfer-Encoding must be chunked");

export const versionNotSupported = (): HttpError => new HttpError(505, "HTTP version must be 1.0 or 1.1");

/** A client sends an empty Host field where its target has no host (RFC 9112, section 3.2). */
function checkHost(host: string | undefined, httpVersion: string): void {
  if (host === undefined && httpVersion !== "1.0") throw new HttpError(400, "Host header is missing");
  if (host && readHost(host) === undefined) throw new HttpError(400, "Host header is not a host and port");
}

/** Throws HttpError 417 for any other expectation. */
function expectsContinue(expect: string): boolean {
  const members = membersOf(expect.toLowerCase());
  if (members.some(member => member !== "100-continue"))
    throw new HttpError(417, "Expectation cannot be met");
  return members.length > 0;
}

/** If it were ignored, the service would make a change that the client wanted to be refused. */
function readIfMatch(text: string): EntityTags {
  const tags = readEntityTags(text);
  if (tags === undefined) throw new HttpError(400, "If-Match is not a list of entity tags");
  return tags;
}

function findRepeated(rawHeaders: readonly string[]): string | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map(name => name.toLowerCase());
  return singular.find(name => names.indexOf(name.toLowerCase()) !== names.lastIndexOf(name.toLowerCase()));
}
