import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { ByteChunk, ByteList, JsonList } from "../../../application/json-list.ts";
import { errorText, type HeaderFields, type HttpError, jsonType } from "../../protocol/error-response.ts";
import type { RouteResult } from "../api/route.ts";
import type { Exchange } from "./exchange.ts";

/** The bytes of a request that are read after its response: a photo sent by mistake is not too large to learn so. */
const mostRestBytes = 16 * 1024 * 1024;

/** What stands before, between and after the chunks of a body. */
interface Frame {
  readonly begin: string;
  readonly between: string;
  readonly end: string;
}

const array: Frame = { begin: "[", between: ",", end: "]" };
const bare: Frame = { begin: "", between: "", end: "" };

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
  exchange.enter("sending");
  if (isNotModified) return sendWhole(exchange, 304, headers);
  if (body === undefined) return sendWhole(exchange, success, headers);
  return sendText(exchange, success, typed, body);
}

/** Every error is a JSON object with `status` and `msg`. */
export function sendError(exchange: Exchange, error: HttpError): Promise<void> | void {
  exchange.enter("finishing");
  return sendText(exchange, error.status, { ...jsonType, ...error.headers }, errorText(error));
}

function sendText(
  exchange: Exchange,
  status: number,
  headers: HeaderFields,
  text: string | Uint8Array,
): Promise<void> | void {
  return sendWhole(exchange, status, { ...headers, "Content-Length": String(Buffer.byteLength(text)) }, text);
}

/** Sends a response that is in memory already. */
function sendWhole(
  exchange: Exchange,
  status: number,
  headers: HeaderFields,
  ...parts: readonly (string | Uint8Array)[]
): Promise<void> | void {
  const { response } = exchange;
  begin(exchange, status, headers);
  for (const part of parts.slice(0, -1)) response.write(part);
  if (!exchange.isArriving) return void response.end(parts.at(-1));
  response.flushHeaders();
  for (const part of parts.slice(-1)) response.write(part);
  return receiveRest(exchange).then(() => void response.end());
}

function begin(exchange: Exchange, status: number, headers: HeaderFields): void {
  // What has not arrived of the request would be read as the next one.
  const close = exchange.isArriving && { Connection: "close" };
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
  exchange.enter("finishing");
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
  const chunks = withBytes(list, response);
  try {
    // It is read before the status line, while a failure can still get an error status.
    const { value: first } = await chunks.next();
    const bytes = first?.bytes ?? new Uint8Array();
    const length = frame.begin.length + bytes.length + frame.end.length;
    const isOneChunk = first?.next === undefined;
    const all = isOneChunk ? { ...headers, "Content-Length": String(length) } : headers;
    exchange.enter("sending");
    if (method === "HEAD") return await sendWhole(exchange, status, all);
    if (isOneChunk && length < response.writableHighWaterMark)
      return await sendWhole(exchange, status, all, frame.begin, bytes, frame.end);
    exchange.lists.take(exchange, isOneChunk ? length : undefined);
    begin(exchange, status, all);
    // The end is written when nothing else waits: with TLS, Node refuses a request as malformed whose parts arrive while more
    // than the mark waits, although the client has read all of the response.
    await pipeline(framed(bytes, chunks, frame, exchange), response);
  } finally {
    await chunks.return(undefined);
  }
}

/** The chunks that are not empty. To look for them can take long, so the search ends when the client goes away. */
async function* withBytes(
  list: ByteList | JsonList<object>,
  response: ServerResponse,
): AsyncGenerator<ByteChunk, undefined> {
  for await (const chunk of list) {
    if (response.destroyed) return;
    const bytes = "json" in chunk ? chunk.json : chunk.bytes;
    if (bytes.length > 0) yield { bytes, next: chunk.next };
  }
}

async function* framed(
  first: Uint8Array,
  others: AsyncIterable<ByteChunk>,
  frame: Frame,
  exchange: Exchange,
) {
  yield frame.begin;
  yield first;
  for await (const { bytes } of others) {
    exchange.lists.goOn(exchange);
    yield frame.between;
    yield bytes;
  }
  yield frame.end;
  if (exchange.isArriving) await receiveRest(exchange);
}
