import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { JsonList } from "../../../application/json-list.ts";
import type { HttpError } from "../api/http-error.ts";
import type { Answer } from "../api/route.ts";

/** A response under way, and the headers that every outcome of it gets: names and values in turn. */
export interface Reply {
  readonly response: ServerResponse;
  readonly headers: readonly string[];
}

/** The headers of every response. */
export const standingHeaders = (requestId: string): readonly string[] => [
  "X-Content-Type-Options",
  "nosniff",
  "Cache-Control",
  "no-store",
  "X-Request-Id",
  requestId,
];

export const jsonType = ["Content-Type", "application/json; charset=utf-8"];

/** Sends what a route answers, with the status of its success. */
export async function sendAnswer(reply: Reply, success: number, answer: Answer | void): Promise<void> {
  const { body, headers = [], isNotModified }: Answer = answer ?? {};
  const all = { response: reply.response, headers: [...reply.headers, ...headers] };
  if (isNotModified) return sendNothing(all, 304);
  if (body === undefined) return sendNothing(all, success);
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return sendList(all, success, body);
  return sendText(all, success, body, headers.includes("Content-Type") ? [] : jsonType);
}

/** Every error is a JSON object with `status` and `msg` (specification, section 2.10). */
export function sendError(reply: Reply, { status, message, headers }: HttpError): void {
  sendText(reply, status, JSON.stringify({ status, msg: message }), [...jsonType, ...headers]);
}

/** Any path may be asked for its preflight (specification, section 4.5). */
export function sendPreflight({ response, headers }: Reply, more: readonly string[]): void {
  response.writeHead(200, [...headers, ...more, "Content-Length", "0"]).end();
}

function sendNothing({ response, headers }: Reply, status: number): void {
  response.writeHead(status, [...headers]).end();
}

function sendText(
  { response, headers }: Reply,
  status: number,
  text: string | Uint8Array,
  more: readonly string[],
): void {
  const length = ["Content-Length", String(Buffer.byteLength(text))];
  response.writeHead(status, [...headers, ...more, ...length]).end(text);
}

/**
 * Sends a list of one piece with its length. A longer one goes out piece by piece at the pace of the client; when it fails
 * on the way the socket is destroyed, so that no client takes a cut list for a whole one.
 */
async function sendList(reply: Reply, status: number, list: JsonList<object>): Promise<void> {
  const { response, headers } = reply;
  const pieces = wanted(list, response);
  // Both are read before the status line, while a failure can still be answered with an error status.
  const first = await pieces.next();
  const second = await pieces.next();
  if (first.done === true) return sendText(reply, status, "[]", jsonType);
  if (second.done === true) return sendOnlyPiece(reply, status, first.value);
  response.writeHead(status, [...headers, ...jsonType]);
  if (response.req.method === "HEAD") {
    response.end();
    return void (await pieces.return());
  }
  await pipeline(jsonArray(first.value, second.value, pieces), response);
}

/**
 * The pieces that have elements. Looking for the first elements of a filtered list can take long, so destroying the
 * response meanwhile ends the reading of the list too.
 */
async function* wanted(list: JsonList<object>, response: ServerResponse): AsyncGenerator<Uint8Array, void> {
  for await (const { json } of list) {
    if (response.destroyed) return;
    if (json.length > 0) yield json;
  }
}

function sendOnlyPiece({ response, headers }: Reply, status: number, piece: Uint8Array): void {
  const length = ["Content-Length", String(piece.length + "[]".length)];
  response.writeHead(status, [...headers, ...jsonType, ...length]);
  response.write("[");
  response.write(piece);
  response.end("]");
}

/** Ending this generator ends the reading of the list. */
async function* jsonArray(
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield "[";
    yield first;
    yield ",";
    yield second;
    for await (const piece of rest) {
      yield ",";
      yield piece;
    }
    yield "]";
  } finally {
    await rest.return();
  }
}
