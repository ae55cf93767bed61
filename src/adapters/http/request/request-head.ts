import type { IncomingMessage } from "node:http";
import { HttpError } from "../api/http-error.ts";

/** Each header costs the process some fifty times the two bytes that the parser counts for the smallest one. */
export const mostHeaders = 100;

/** Header fields that must not be repeated. Node would drop the second one, or join it to the first. */
const singular = ["Host", "Authorization", "Content-Type", "Idempotency-Key"];
/** A bit for each of them, by their names in lower case. */
const bits: ReadonlyMap<string, number> = new Map(singular.map((name, at) => [name.toLowerCase(), 1 << at]));

/**
 * Refuses what Node would accept, or refuse without a body (RFC 9110, sections 2.5, 5.3 and 10.1.1; RFC 9112,
 * sections 3.2 and 6.1).
 *
 * @throws HttpError 400, 417, 431, 501 or 505
 */
export function refuseBadHead(
  request: Pick<IncomingMessage, "headers" | "rawHeaders" | "httpVersion">,
): void {
  const { headers, rawHeaders, httpVersion } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") throw versionNotSupported();
  if (headers.host === undefined && httpVersion !== "1.0") throw new HttpError(400, "Host header is missing");
  if (rawHeaders.length > 2 * mostHeaders) throw headersTooLarge();
  const repeated = findRepeated(rawHeaders);
  if (repeated !== undefined) throw new HttpError(400, `${repeated} header must not be repeated`);
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") throw codingNotSupported();
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    throw new HttpError(417, "Expectation cannot be met");
  }
}

export const headersTooLarge = (): HttpError => new HttpError(431, "Request header fields are too large");

export const codingNotSupported = (): HttpError => new HttpError(501, "Transfer-Encoding must be chunked");

export const versionNotSupported = (): HttpError => new HttpError(505, "HTTP version must be 1.0 or 1.1");

function findRepeated(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const bit = bits.get(rawHeaders[at]?.toLowerCase() ?? "") ?? 0;
    if ((seen & bit) !== 0) return singular[Math.log2(bit)];
    seen |= bit;
  }
  return undefined;
}
