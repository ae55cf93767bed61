import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { ByteList, Piece } from "../../../application/json-list.ts";
import type { HttpError } from "../api/http-error.ts";
import type { Answer } from "../api/route.ts";
import type { Allowance } from "./body.ts";

/** A response under way, and the headers that every outcome of it gets: names and values in turn. */
export interface Reply {
  readonly response: ServerResponse;
  readonly headers: readonly string[];
  /** Of what all requests may take; none where no work was done. */
  readonly allowance?: Pick<Allowance, "end"> | undefined;
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

/** How long what still arrives of a request is thrown away after its response. */
const lingerMilliseconds = 500;

export const jsonType = ["Content-Type", "application/json; charset=utf-8"];

/** What stands before, between and after the pieces of a body. */
interface Frame {
  readonly begin: string;
  readonly between: string;
  readonly end: string;
}

const array: Frame = { begin: "[", between: ",", end: "]" };
const bare: Frame = { begin: "", between: "", end: "" };

/** Sends what a route returns, with the status of its success. A list takes its time; anything else has been handed over. */
export function sendAnswer(reply: Reply, success: number, answer: Answer | void): Promise<void> | void {
  const { body, headers = [], isNotModified }: Answer = answer ?? {};
  const all = { ...reply, headers: reply.headers.concat(headers) };
  if (isNotModified) return sendNothing(all, 304);
  if (body === undefined) return sendNothing(all, success);
  const isTyped = headers.includes("Content-Type");
  const typed = isTyped ? all : { ...all, headers: all.headers.concat(jsonType) };
  if (typeof body === "string" || body instanceof Uint8Array) return sendText(typed, success, body);
  return sendList(typed, success, body, isTyped ? bare : array);
}

/** Every error is a JSON object with `status` and `msg`. */
export function sendError(reply: Reply, { status, message, headers }: HttpError): void {
  const all = { ...reply, headers: [...reply.headers, ...jsonType, ...headers] };
  sendText(all, status, JSON.stringify({ status, msg: message }));
}

/** Any path may be asked for its preflight. */
export function sendPreflight(reply: Reply, more: readonly string[]): void {
  sendText({ ...reply, headers: reply.headers.concat(more) }, 200, "");
}

const sendNothing = (reply: Reply, status: number): void => send(reply, status, reply.headers);

function sendText(reply: Reply, status: number, text: string | Uint8Array): void {
  send(reply, status, reply.headers.concat("Content-Length", String(Buffer.byteLength(text))), text);
}

function send(
  { response, allowance }: Reply,
  status: number,
  headers: readonly string[],
  ...body: readonly (string | Uint8Array)[]
): void {
  const { req: request } = response;
  if (!isArriving(request)) {
    response.writeHead(status, [...headers]);
    for (const part of body.slice(0, -1)) response.write(part);
    return void response.end(body.at(-1));
  }
  // What has not arrived of the request would be read as the next one.
  response.writeHead(status, [...headers, "Connection", "close"]).flushHeaders();
  for (const part of body) response.write(part);
  // Closing a socket with unread bytes resets it, and the client might lose the response (RFC 9112, section 9.6).
  allowance?.end();
  const end = (): void => {
    clearTimeout(lingering);
    response.end();
  };
  const lingering = setTimeout(end, lingerMilliseconds);
  request.once("close", end).resume();
}

/** Whether a part of the body is still to come (RFC 9112, section 6.3). */
const isArriving = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

/**
 * Sends a list: with its length if it is of one piece, as most lists are, else piece by piece at the pace of the client.
 * When it fails on the way the socket is destroyed, so that no client takes a cut list for a whole one.
 */
async function sendList(reply: Reply, status: number, list: ByteList, frame: Frame): Promise<void> {
  const { response, headers } = reply;
  const pieces = withElements(list, response);
  try {
    // It is read before the status line, while a failure can still get an error status.
    const { value: first } = await pieces.next();
    const json = first?.json ?? new Uint8Array();
    const length = frame.begin.length + json.length + frame.end.length;
    const isWhole = first?.next === undefined;
    const all = isWhole ? headers.concat("Content-Length", String(length)) : headers;
    if (isWhole && length < response.writableHighWaterMark)
      return send(reply, status, all, frame.begin, json, frame.end);
    response.writeHead(status, [...all]);
    // The end is written when nothing else waits: with TLS, Node refuses a request as malformed whose parts arrive while more
    // than the mark waits, although the client has read all of the response.
    if (response.req.method === "HEAD") response.end();
    else await pipeline(framed(json, pieces, frame), response);
  } finally {
    await pieces.return(undefined);
  }
}

/** The pieces that have elements. To look for them can take long, so the search ends when the client goes away. */
async function* withElements(list: ByteList, response: ServerResponse): AsyncGenerator<Piece, undefined> {
  for await (const piece of list) {
    if (response.destroyed) return;
    if (piece.json.length > 0) yield piece;
  }
}

async function* framed(first: Uint8Array, others: AsyncIterable<Piece>, { begin, between, end }: Frame) {
  yield begin;
  yield first;
  for await (const { json } of others) {
    yield between;
    yield json;
  }
  yield end;
}
