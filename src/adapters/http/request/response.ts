import type { IncomingMessage } from "node:http";
import type { ChunkedList } from "../../../application/json-list.ts";
import { errorText, type HttpError, jsonType } from "../../protocol/error-response.ts";
import type { RouteResult } from "../api/result.ts";
import type { Exchange } from "./exchange.ts";

/** The bytes of a request that are read after its response: a photo sent by mistake is not too large to learn so. */
const mostRestBytes = 16 * 1024 * 1024;

/** A client keeps up that takes a chunk within this time. Others are given pieces of so many bytes. */
const keepUpMilliseconds = 100;
const pieceBytes = 16 * 1024;

/** What stands before, between and after the chunks of a body. */
type Frame = readonly [open: string, comma: string, close: string];
const array: Frame = ["[", ",", "]"];
const bare: Frame = ["", "", ""];

type Head = Pick<RouteResult, "status" | "headers">;
type Part = string | Uint8Array;

/** The client has gone before the end of a list. */
export class ClientGone extends Error {}

/** Sends what a route returns. A list in JSON is an array. */
export function sendResult(exchange: Exchange, result: RouteResult): Promise<void> {
  const { headers, body } = result;
  if (body === undefined) return sendWhole(exchange, result);
  if (typeof body === "string" || body instanceof Uint8Array) return sendWhole(exchange, result, body);
  const isJson = headers["Content-Type"] === jsonType["Content-Type"];
  return sendList(exchange, result, body, isJson ? array : bare);
}

/** Every error is a JSON object with `status` and `msg`. */
export const sendError = (exchange: Exchange, error: HttpError): Promise<void> =>
  sendWhole(exchange, { status: error.status, headers: { ...jsonType, ...error.headers } }, errorText(error));

/** Sends a response that is in memory, or has no body. To copy its parts into one would cost a fifth of a list of 200 assets. */
async function sendWhole(exchange: Exchange, head: Head, ...body: readonly Part[]): Promise<void> {
  const bytes = body.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  exchange.share.respond(bytes);
  begin(exchange, head, body.length === 0 ? undefined : bytes);
  for (const part of body.slice(0, -1)) exchange.response.write(part);
  await end(exchange, body.at(-1));
}

/** @param bytes of the body, as far as its length is known */
function begin(exchange: Exchange, { status, headers }: Head, bytes?: number): void {
  exchange.leavesRest = exchange.isArriving;
  const length = bytes !== undefined && { "Content-Length": String(bytes) };
  const close = exchange.leavesRest && { Connection: "close" };
  exchange.response.writeHead(status, { ...exchange.headers, ...headers, ...length, ...close });
  if (exchange.leavesRest) throwAway(exchange.request);
}

/** Ends a response with its last part; where the request still arrives, not before the rest of the request was thrown away. */
async function end(exchange: Exchange, last: Part = ""): Promise<void> {
  const { response } = exchange;
  if (!exchange.isArriving) return void response.end(last);
  response.flushHeaders();
  if (last !== "") response.write(last);
  await receiveRest(exchange);
  response.end();
}

/** Reads what still arrives of a request, up to a bound: without one, clients that are refused would cost the most. */
function throwAway(request: IncomingMessage): void {
  const { socket } = request;
  const mostRead = socket.bytesRead + mostRestBytes;
  request.on("data", () => {
    if (socket.bytesRead > mostRead) request.pause();
  });
  request.resume();
}

/**
 * Waits until the rest of the request has arrived, or pauses: to close a socket with unread bytes
 * resets it, and the client might lose the response (RFC 9112, section 9.6). Node ends what drips in after 10 s.
 */
function receiveRest({ request, edge }: Exchange): Promise<void> {
  if (request.destroyed) return Promise.resolve();
  return new Promise(resolve => {
    const pause = setTimeout(resolve, edge.budget.limits.lingerMilliseconds);
    request.on("data", () => pause.refresh());
    request.once("close", () => {
      clearTimeout(pause);
      resolve();
    });
  });
}

/**
 * Sends a list: with its length if it is of one chunk, as most lists are, else chunk by chunk at the pace of the client.
 * When it fails on the way the socket is destroyed, so that no client takes a cut list for a whole one.
 */
async function sendList(exchange: Exchange, head: Head, list: ChunkedList, frame: Frame): Promise<void> {
  const [open, comma, close] = frame;
  const { response, method, share } = exchange;
  /** The body of a list that is empty or of one small chunk. */
  let whole: readonly Part[] = [open, close];
  /** What comes before the next chunk, once the response has begun. */
  let before: string | undefined;
  let keepsUp = true;
  // A connection ends if its next request arrives before the work on this one is over. So the loop ends the list before the response ends.
  for await (const { content, next } of list) {
    if (response.destroyed) break;
    // Many can be empty before the first one. Until then a failure can still get an error status.
    if (content.length === 0) continue;
    if (before === undefined) {
      const isOneChunk = next === undefined;
      const length = open.length + content.length + close.length;
      if (method === "HEAD" || (isOneChunk && length < response.writableHighWaterMark)) {
        whole = isOneChunk ? [open, content, close] : [];
        break;
      }
      share.respondWithList(isOneChunk ? length : undefined);
      begin(exchange, head, isOneChunk ? length : undefined);
      before = open;
    }
    response.write(before);
    keepsUp = await give(exchange, content, keepsUp);
    before = comma;
    if (next === undefined) break;
  }
  if (before === undefined) return sendWhole(exchange, head, ...whole);
  // By now the operating system has taken all else. If more than the high-water mark still waited when the next request arrives in
  // parts, Node would refuse that request as malformed on a TLS connection, although the client has read the whole response.
  await end(exchange, close);
}

/**
 * Resolves when the operating system has taken all: to whether the client keeps up. One that does not gets small pieces, so that its
 * share notices that it moves.
 */
async function give(exchange: Exchange, bytes: Uint8Array, keptUp: boolean): Promise<boolean> {
  let keepsUp = keptUp;
  for (let at = 0; at < bytes.length; ) {
    const end = keepsUp ? bytes.length : at + pieceBytes;
    const since = performance.now();
    await write(exchange, bytes.subarray(at, end));
    keepsUp = exchange.share.move() - since < keepUpMilliseconds;
    at = end;
  }
  return keepsUp;
}

/** Resolves when the operating system has taken the bytes; fails when the client has gone, which Node calls taken, too. */
function write({ request, response }: Exchange, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new ClientGone());
    const settle = () => {
      response.off("close", refuse);
      if (request.socket.destroyed) refuse();
      else resolve();
    };
    response.once("close", refuse);
    if (request.socket.destroyed) settle();
    else response.write(bytes, settle);
  });
}
