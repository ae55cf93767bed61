import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const saneRequestId = /^[\w.:~+/=-]{1,128}$/;

/** What the client calls its request, if that is fit for a header and a log line; else a new name. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && saneRequestId.test(sent) ? sent : randomUUID();
}
