import { errorText, type HeaderFields, HttpError, jsonType } from "./error-response.ts";
import { STATUS_CODES } from "./node-http.ts";
import { codingNotSupported, headTooLarge, versionNotSupported } from "./request-head.ts";

/** The text of a whole response, the last one of its connection, where Node has made no response object. */
export function refusalText(error: HttpError, standing: HeaderFields, now: Date): string {
  const { status, headers } = error;
  const body = errorText(error);
  const all = {
    Date: now.toUTCString(),
    ...standing,
    ...headers,
    Connection: "close",
    ...jsonType,
    "Content-Length": Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

export interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/** The status where a request has not arrived in time. */
export const requestTimeout = 408;

/** The response to a request that Node's parser refused, or that did not arrive in time. */
export function parserRefusal({ code, reason }: ParserError): HttpError {
  switch (code) {
    // Node counts them together.
    case "HPE_HEADER_OVERFLOW":
      return headTooLarge();
    case "ERR_HTTP_REQUEST_TIMEOUT":
    case "ERR_TLS_HANDSHAKE_TIMEOUT":
      return new HttpError(requestTimeout, "Request took too long");
    case "HPE_INVALID_TRANSFER_ENCODING":
      if (reason?.includes("Content-Length") !== true) return codingNotSupported();
      break;
    // The preface of an HTTP/2 client (RFC 9113, section 3.4).
    case "HPE_PAUSED_H2_UPGRADE":
      return versionNotSupported();
    case "HPE_INVALID_VERSION":
      if (reason === "Invalid HTTP version") return versionNotSupported();
  }
  return new HttpError(400, "Malformed HTTP request");
}

export const connectNotSupported = (): HttpError => new HttpError(501, "CONNECT is not supported");
