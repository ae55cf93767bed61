import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const saneRequestId = /^[\w.:~+/=-]{1,128}$/;

/** The client's own X-Request-Id if it is safe in a header and a log line, else a new id. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && saneRequestId.test(sent) ? sent : randomUUID();
}
