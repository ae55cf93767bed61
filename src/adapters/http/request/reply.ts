import type { ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { ByteList, Piece } from "../../../application/json-list.ts";
import type { HttpError } from "../api/http-error.ts";
import type { Answer } from "../api/route.ts";
import { watchMilliseconds } from "./token-watch.ts";

/** A response under way, and the headers that every outcome of it gets: names and values in turn. */
export interface Reply {
  readonly response: ServerResponse;
  readonly headers: readonly string[];
}

/** A list as it is read, and what becomes of it. */
interface Pieces {
  readonly frame: Frame;
  next(): Promise<IteratorResult<Piece, undefined>>;
  end(): void;
}

/** What the pieces of a body are put into. */
interface Frame {
  /** Of the body's type. */
  readonly headers: readonly string[];
  /** Makes the beginning of the body out of its first elements. */
  begin(elements: Uint8Array): Uint8Array;
  readonly end: string;
}

/** Rejects when the request would no longer be let through. */
export type LookAgain = () => Promise<unknown>;

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

const asArray: Frame = { headers: jsonType, begin: opened, end: "]" };
/** Of a body whose Content-Type the route has given. */
const asIs: Frame = { headers: [], begin: bytes => bytes, end: "" };

/** Sends what a route answers, with the status of its success. A list takes its time; anything else has been handed over. */
export function sendAnswer(
  reply: Reply,
  success: number,
  answer: Answer | void,
  lookAgain: LookAgain,
): Promise<void> | void {
  const { body, headers = [], isNotModified }: Answer = answer ?? {};
  const all = { response: reply.response, headers: reply.headers.concat(headers) };
  if (isNotModified) return sendNothing(all, 304);
  if (body === undefined) return sendNothing(all, success);
  const isTyped = headers.includes("Content-Type");
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    return sendList(all, success, readAdmitted(body, isTyped ? asIs : asArray, lookAgain));
  }
  return sendText(all, success, body, isTyped ? [] : jsonType);
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
  response.writeHead(status, headers.concat(more, length)).end(text);
}

/** Reads a list. What the database took long to find is given only if the request would still be let through. */
function readAdmitted(list: ByteList, frame: Frame, lookAgain: LookAgain): Pieces {
  const pieces: AsyncIterator<Piece, undefined> = list[Symbol.asyncIterator]();
  return {
    frame,
    async next() {
      const begunAt = performance.now();
      const taken = await pieces.next();
      if (performance.now() - begunAt > watchMilliseconds) await lookAgain();
      return taken;
    },
    end: () => {
      pieces.return?.().catch(() => {});
    },
  };
}

/** Sends a list: with its length if it is of one piece, as most lists are. */
async function sendList(reply: Reply, status: number, pieces: Pieces): Promise<void> {
  const { done, value: first } = await pieces.next();
  if (done === true || first.next === undefined) sendWhole(reply, status, pieces.frame, first?.json);
  else await sendPieces(reply, status, first, pieces);
}

function sendWhole(
  reply: Reply,
  status: number,
  frame: Frame,
  elements: Uint8Array = new Uint8Array(),
): void {
  const { response, headers } = reply;
  // The token has ended while the list was read.
  if (response.writableEnded) return;
  const start = frame.begin(elements);
  const length = ["Content-Length", String(start.length + frame.end.length)];
  response.writeHead(status, headers.concat(frame.headers, length));
  response.write(start);
  response.end(frame.end);
}

/**
 * Sends a list piece by piece at the pace of the client; when it fails on the way the socket is destroyed, so that no client
 * takes a cut list for a whole one.
 */
async function sendPieces(reply: Reply, status: number, begun: Piece, pieces: Pieces): Promise<void> {
  const { response, headers } = reply;
  const { frame } = pieces;
  let read: Piece | undefined = begun;
  /**
   * The next piece that has elements. Looking for the first elements of a filtered list can take long, so ending the
   * response meanwhile ends the reading of the list too.
   */
  const next = async (): Promise<Piece | undefined> => {
    while (read?.next !== undefined) {
      read = (await pieces.next()).value as Piece | undefined;
      if (response.writableEnded || response.destroyed) return undefined;
      if (read !== undefined && read.json.length > 0) return read;
    }
    return undefined;
  };
  try {
    // Two pieces are read before the status line, while a failure can still be answered with an error status.
    const first = begun.json.length > 0 ? begun : await next();
    const start = first && Buffer.from(first.json);
    const second = await next();
    if (start === undefined || second === undefined) return void sendWhole(reply, status, frame, start);
    response.writeHead(status, [...headers, ...frame.headers]);
    if (response.req.method === "HEAD") return void response.end();
    const sent = async () => {
      await write(response, frame.begin(start));
      for (let piece: Piece | undefined = second; piece !== undefined; piece = await next()) {
        await write(response, piece.json);
      }
    };
    // A client that goes away ends neither a write nor the reading of the next piece; `finished` then rejects.
    await Promise.race([sent(), finished(response)]);
    response.end(frame.end);
  } finally {
    // It waits for the piece that is being read.
    pieces.end();
  }
}

/** The beginning of a JSON array from elements that begin with a comma. */
function opened(elements: Uint8Array): Uint8Array {
  if (elements.length === 0) return Buffer.from("[");
  elements[0] = "[".charCodeAt(0);
  return elements;
}

/** Resolves when the connection has taken the whole chunk, after which its memory may be used again, and never if it fails. */
const write = (response: ServerResponse, chunk: Uint8Array): Promise<void> =>
  new Promise(resolve => {
    response.write(chunk, error => {
      if (!error) resolve();
    });
  });
