import type { IncomingMessage, ServerResponse } from "node:http";
import type { Chunk, ChunkedList } from "../../../application/json-list.ts";
import { errorText, type HeaderFields, type HttpError, jsonType } from "../../protocol/error-response.ts";
import type { RouteResult } from "../api/result.ts";
import type { Exchange } from "./exchange.ts";

/** The bytes of a request that are read after its response: a photo sent by mistake is not too large to learn so. */
const mostRestBytes = 16 * 1024 * 1024;

/** A client keeps up that takes a chunk within this time. Others are given pieces of so many bytes. */
const keepUpMilliseconds = 100;
const pieceBytes = 16 * 1024;

/** What stands before, between and after the chunks of a body. */
interface Frame {
  readonly begin: string;
  readonly between: string;
  readonly end: string;
}

const array: Frame = { begin: "[", between: ",", end: "]" };
const bare: Frame = { begin: "", between: "", end: "" };

/** The client has gone before the end of a list. */
export class ClientGone extends Error {}

/** Sends what a route returns. A list in JSON is an array. */
export function sendResult(exchange: Exchange, { status, headers, body }: RouteResult): Promise<void> {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array)
    return sendWhole(exchange, status, headers, body);
  const isJson = headers["Content-Type"] === jsonType["Content-Type"];
  return sendList(exchange, status, headers, body, isJson ? array : bare);
}

/** Every error is a JSON object with `status` and `msg`. */
export const sendError = (exchange: Exchange, error: HttpError): Promise<void> =>
  sendWhole(exchange, error.status, { ...jsonType, ...error.headers }, errorText(error));

/** Sends a response that is in memory already. */
async function sendWhole(
  exchange: Exchange,
  status: number,
  headers: HeaderFields,
  body?: string | Uint8Array,
): Promise<void> {
  const bytes = body === undefined ? 0 : Buffer.byteLength(body);
  exchange.share.respond(bytes);
  begin(exchange, status, body === undefined ? headers : { ...headers, "Content-Length": String(bytes) });
  await end(exchange, body);
}

function begin(exchange: Exchange, status: number, headers: HeaderFields): void {
  exchange.leavesRest = exchange.isArriving;
  const close = exchange.leavesRest && { Connection: "close" };
  exchange.response.writeHead(status, { ...exchange.headers, ...headers, ...close });
  if (exchange.leavesRest) throwAway(exchange.request);
}

/** Ends a response with its last part. Where its request still arrives, it ends when that has come to its end. */
async function end(exchange: Exchange, last: string | Uint8Array = ""): Promise<void> {
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
async function sendList(
  exchange: Exchange,
  status: number,
  headers: HeaderFields,
  list: ChunkedList,
  frame: Frame,
): Promise<void> {
  const { response, method, share } = exchange;
  const chunks = list[Symbol.asyncIterator]();
  try {
    // It is read before the status line, while a failure can still get an error status.
    const first = await nextOf(chunks, response);
    const content = first?.content ?? new Uint8Array();
    const length = frame.begin.length + content.length + frame.end.length;
    const isOneChunk = first?.next === undefined;
    // A list is over before its response: then the client may send the next request, which would be too early otherwise.
    if (method === "HEAD" || (isOneChunk && length < response.writableHighWaterMark)) {
      await chunks.return?.();
      const body = [Buffer.from(frame.begin), content, Buffer.from(frame.end)];
      return await sendWhole(exchange, status, headers, isOneChunk ? Buffer.concat(body) : undefined);
    }
    share.respondWithList(isOneChunk ? length : undefined);
    begin(exchange, status, isOneChunk ? { ...headers, "Content-Length": String(length) } : headers);
    let before = frame.begin;
    let keepsUp = true;
    for (let chunk = first; chunk !== undefined; before = frame.between) {
      response.write(before);
      keepsUp = await give(exchange, chunk.content, keepsUp);
      chunk = chunk.next === undefined ? undefined : await nextOf(chunks, response);
    }
    await chunks.return?.();
    // By now the operating system has taken all else. If more than the high-water mark still waited when the next request arrives in
    // parts, Node would refuse that request as malformed on a TLS connection, although the client has read the whole response.
    await end(exchange, frame.end);
  } finally {
    await chunks.return?.();
  }
}

/** The next chunk that is not empty. Many can be empty before it, so the search ends when the client goes away. */
async function nextOf(chunks: AsyncIterator<Chunk>, response: ServerResponse): Promise<Chunk | undefined> {
  for (;;) {
    const { value, done } = await chunks.next();
    if (done || response.destroyed) return undefined;
    if (value.content.length > 0) return value;
  }
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
