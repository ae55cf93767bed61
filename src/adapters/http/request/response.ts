import type { IncomingMessage, ServerResponse } from "node:http";
import type { ByteChunk, ByteList, JsonChunk, JsonList } from "../../../application/json-list.ts";
import { errorText, type HeaderFields, type HttpError, jsonType } from "../../protocol/error-response.ts";
import type { RouteResult } from "../api/route.ts";
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

/** Sends what a route returns, with the status of its success. */
export function sendResult(
  exchange: Exchange,
  success: number,
  result: RouteResult | void,
): Promise<void> | void {
  const { body, headers = {}, isNotModified }: RouteResult = result ?? {};
  const isTyped = "Content-Type" in headers;
  const typed = isTyped ? headers : { ...headers, ...jsonType };
  if (typeof body === "object" && !(body instanceof Uint8Array)) {
    return sendList(exchange, success, typed, body, isTyped ? bare : array);
  }
  if (isNotModified) return sendWhole(exchange, 304, headers);
  if (body === undefined) return sendWhole(exchange, success, headers);
  return sendText(exchange, success, typed, body);
}

/** Every error is a JSON object with `status` and `msg`. */
export function sendError(exchange: Exchange, error: HttpError): Promise<void> | void {
  return sendText(exchange, error.status, { ...jsonType, ...error.headers }, errorText(error));
}

function sendText(
  exchange: Exchange,
  status: number,
  headers: HeaderFields,
  text: string | Uint8Array,
): Promise<void> | void {
  const length = Buffer.byteLength(text);
  return sendWhole(exchange, status, { ...headers, "Content-Length": String(length) }, length, text);
}

/** Sends a response that is in memory already. Its last part goes with the end. */
function sendWhole(
  exchange: Exchange,
  status: number,
  headers: HeaderFields,
  length = 0,
  ...parts: readonly (string | Uint8Array)[]
): Promise<void> | void {
  const { response } = exchange;
  exchange.respond(length);
  begin(exchange, status, headers);
  for (const part of parts.slice(0, -1)) response.write(part);
  if (!exchange.isArriving) return void response.end(parts.at(-1));
  response.flushHeaders();
  for (const part of parts.slice(-1)) response.write(part);
  return receiveRest(exchange).then(() => void response.end());
}

function begin(exchange: Exchange, status: number, headers: HeaderFields): void {
  exchange.isLast = exchange.isArriving;
  const close = exchange.isLast && { Connection: "close" };
  exchange.response.writeHead(status, { ...exchange.headers, ...headers, ...close });
  if (exchange.isArriving) throwAway(exchange.request);
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
function receiveRest(exchange: Exchange): Promise<void> {
  const { request, lingerMilliseconds } = exchange;
  if (!exchange.isArriving || request.destroyed) return Promise.resolve();
  return new Promise(resolve => {
    const pause = setTimeout(resolve, lingerMilliseconds);
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
  list: ByteList | JsonList<object>,
  frame: Frame,
): Promise<void> {
  const { response, method } = exchange;
  const chunks = list[Symbol.asyncIterator]();
  const reader = new Reader(exchange);
  try {
    // It is read before the status line, while a failure can still get an error status.
    const first = await nextOf(chunks, response);
    const bytes = first?.bytes ?? new Uint8Array();
    const length = frame.begin.length + bytes.length + frame.end.length;
    const isOneChunk = first?.next === undefined;
    const all = isOneChunk ? { ...headers, "Content-Length": String(length) } : headers;
    if (method === "HEAD") return await sendWhole(exchange, status, all);
    if (isOneChunk && length < response.writableHighWaterMark)
      return await sendWhole(exchange, status, all, length, frame.begin, bytes, frame.end);
    exchange.respondWithList(isOneChunk ? length : undefined);
    begin(exchange, status, all);
    let before = frame.begin;
    for (let chunk = first; chunk !== undefined; before = frame.between) {
      await reader.give(before, chunk.bytes);
      const hasMore = chunk.next !== undefined;
      chunk = hasMore ? await nextOf(chunks, response, reader.mayReadAhead()) : undefined;
    }
    if (exchange.isArriving) await receiveRest(exchange);
    // When nothing else waits: with TLS, Node refuses a request as malformed whose parts arrive while more than the mark waits,
    // although the client has read all of the response.
    response.end(frame.end);
  } finally {
    await chunks.return?.();
  }
}

/** The next chunk that is not empty. Many can be empty before it, so the search ends when the client goes away. */
async function nextOf(
  chunks: AsyncIterator<ByteChunk | JsonChunk>,
  response: ServerResponse,
  mayReadAhead = false,
): Promise<ByteChunk | undefined> {
  for (;;) {
    const { value, done } = await chunks.next(mayReadAhead);
    if (done || response.destroyed) return undefined;
    const bytes = "json" in value ? value.json : value.bytes;
    if (bytes.length > 0) return { bytes, next: value.next };
  }
}

/** The client of a list. */
class Reader {
  readonly #exchange: Exchange;
  /** It took what it was given last at once. */
  #keepsUp = true;
  #hasRoomAhead = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Whether its list may read a page before it is asked for it, as it does for one who keeps up while there is plenty of memory. */
  mayReadAhead(): boolean {
    if (this.#keepsUp && !this.#hasRoomAhead) this.#hasRoomAhead = this.#exchange.holdAhead();
    return this.#keepsUp && this.#hasRoomAhead;
  }

  /**
   * Resolves when the operating system has taken all: to one that does not keep up it is given in small pieces, so that one
   * can see whether it moves.
   */
  async give(before: string, bytes: Uint8Array): Promise<void> {
    const { response } = this.#exchange;
    response.write(before);
    for (let at = 0; at < bytes.length; ) {
      const end = this.#keepsUp ? bytes.length : at + pieceBytes;
      const since = performance.now();
      await write(this.#exchange, bytes.subarray(at, end));
      this.#exchange.move();
      this.#keepsUp = this.#exchange.movedAt - since < keepUpMilliseconds;
      at = end;
    }
  }
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
