import type { IncomingMessage, ServerResponse } from "node:http";
import { DomainError, invalid } from "../../../domain/error.ts";
import { isStorable } from "../../../domain/field.ts";
import { HttpError, overloaded } from "../api/http-error.ts";

/** What all requests together may take of the process, as seen by one of them. */
export interface Allowance {
  /** Takes memory for the body until the request is over; false when too much is taken already. */
  takeBytes(bytes: number, hasToken: boolean): boolean;
  /**
   * The wait for a body begins: a request that drips in must not take the place of another.
   *
   * @param giveUp called when a request without a token has waited longest and another one needs its memory
   */
  beginWait(giveUp: () => void): void;
  endWait(): void;
  /** The request is over; to say so twice does no harm. */
  end(): void;
}

export interface BodyLimits {
  /** Of the longest body that the route reads. */
  readonly bytes: number;
  /** Whether the request has shown a valid token. */
  readonly hasToken: boolean;
}

/** What a body counts as while it arrives, however short it is: about what its request takes of the process. */
const leastBytes = 4 * 1024;

const jsonType = /^application\/json\s*(;|$)/i;
const otherCharset = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(;|$))/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON object; undefined when there is no body.
 *
 * @throws HttpError 413, 415, or 503 when all bodies together take too much; INVALID for what is not a JSON object in UTF-8
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  allowance: Allowance,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { headers } = request;
  const declaredBytes = Number(headers["content-length"] ?? 0);
  if (declaredBytes === 0 && headers["transfer-encoding"] === undefined) return undefined;
  if (declaredBytes > limits.bytes) throw tooLarge(limits);
  if (declaredBytes > 0) refuseOtherTypes(headers["content-type"]);
  if (headers.expect !== undefined) response.writeContinue();
  const body = makeGrowingBuffer(limits, allowance);
  // A client can send a byte and wait.
  if (!request.complete) body.reserve(leastBytes);
  const bytes = await readBytes(request, body, allowance).finally(allowance.endWait);
  if (bytes.length === 0) return undefined;
  refuseOtherTypes(headers["content-type"]);
  return parseObject(bytes);
}

const tooLarge = ({ bytes }: BodyLimits) => new HttpError(413, `Request body must be at most ${bytes} bytes`);

function refuseOtherTypes(type: string | undefined): void {
  if (type !== undefined && (!jsonType.test(type) || otherCharset.test(type))) {
    throw new HttpError(415, "Content-Type must be application/json");
  }
}

function readBytes(
  request: IncomingMessage,
  body: ReturnType<typeof makeGrowingBuffer>,
  allowance: Allowance,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown): void => {
      request.off("data", take);
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      try {
        body.append(chunk);
      } catch (error) {
        refuse(error);
      }
    };
    allowance.beginWait(() => refuse(overloaded()));
    const fail = (cause?: Error): void => {
      // Every request closes; to make an error for each would cost more than to read the body.
      if (!request.readableEnded) reject(new HttpError(400, "Request body ended too early", [], { cause }));
    };
    request.on("data", take);
    request.once("end", () => resolve(body.bytes()));
    request.once("error", fail);
    request.once("close", fail);
    // It may have closed while the token was checked, and says so only once.
    if (request.closed) fail();
  });
}

/**
 * Copies what arrives into one buffer: a chunk of one byte costs as much memory as one of a hundred, so that a body in
 * small chunks would take many times its length.
 */
function makeGrowingBuffer(limits: BodyLimits, allowance: Allowance) {
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  let reserved = 0;
  function reserve(bytes: number): void {
    if (bytes <= reserved) return;
    if (!allowance.takeBytes(bytes - reserved, limits.hasToken)) throw overloaded();
    reserved = bytes;
  }
  return {
    reserve,
    append(chunk: Buffer): void {
      const needed = length + chunk.length;
      if (needed > limits.bytes) throw tooLarge(limits);
      if (needed > buffer.length) {
        const capacity = Math.min(Math.max(needed, 2 * buffer.length), limits.bytes);
        reserve(capacity);
        // As a rule the first chunk is all there is.
        buffer = length === 0 ? chunk : Buffer.concat([buffer.subarray(0, length)], capacity);
      }
      if (buffer !== chunk) chunk.copy(buffer, length);
      length = needed;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("Request body must be a JSON object");
  }
  return value as Record<string, unknown>;
}

function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    // NUL and lone surrogates can only come from an escape: UTF-8 and JSON exclude them otherwise.
    return text.includes("\\u") ? JSON.parse(text, refuseUnstorable) : JSON.parse(text);
  } catch (error) {
    throw error instanceof DomainError ? error : invalid("Request body is not valid JSON in UTF-8");
  }
}

function refuseUnstorable(name: string, value: unknown): unknown {
  if (isStorable(name) && (typeof value !== "string" || isStorable(value))) return value;
  throw invalid("Request body must not contain NUL characters or lone surrogates");
}
