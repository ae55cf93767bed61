import { randomUUID } from "node:crypto";
import { HttpError } from "../api/http-error.ts";
import { headersTooLarge, versionNotSupported } from "../request/preconditions.ts";
import { jsonType, standingHeaders } from "../request/reply.ts";
import { STATUS_CODES } from "./node-http.ts";

/** The whole answer, as it goes over the wire, to a client for whom Node has made no response: its last. */
export function refusalText({ status, message, headers }: HttpError, more: readonly string[]): string {
  const body = JSON.stringify({ status, msg: message });
  const length = ["Content-Length", String(Buffer.byteLength(body))];
  const all = [
    ...standingHeaders(randomUUID()),
    ...more,
    ...headers,
    "Connection",
    "close",
    ...jsonType,
    ...length,
  ];
  const lines = all.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : []));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

export const tooManyConnections = (): HttpError =>
  new HttpError(503, "The service has too many connections", ["Retry-After", "1"]);

export const tooSlow = (): HttpError => new HttpError(408, "Request took too long");

export const tooManyChunks = (most: number): HttpError =>
  new HttpError(413, `Request body must have at most ${most} chunks`);

/** CONNECT asks for a tunnel, not for a resource, so that no method would be allowed in its place. */
export const noTunnels = (): HttpError => new HttpError(405, "Method not allowed", ["Allow", ""]);

export interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/** What Node's parser, or its clock, has against a request. */
export function parserRefusal({ code, reason }: ParserError): HttpError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge();
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return tooSlow();
    // The preface of an HTTP/2 client (RFC 9113, section 3.4).
    case "HPE_PAUSED_H2_UPGRADE":
      return versionNotSupported();
    case "HPE_INVALID_VERSION":
      if (reason === "Invalid HTTP version") return versionNotSupported();
  }
  return new HttpError(400, "Malformed HTTP request");
}
