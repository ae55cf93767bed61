import { DomainError, invalid } from "../../../domain/error.ts";
import { isStorable } from "../../../domain/field.ts";
import { HttpError } from "../../protocol/error-response.ts";
import type { RequestHead } from "../../protocol/request-head.ts";
import type { Share } from "./budget.ts";
import type { Exchange } from "./exchange.ts";

const notJson = "Content-Type must be application/json; with curl: -H 'Content-Type: application/json'";
const none: Buffer = Buffer.alloc(0);
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Receives the body of a request; empty when there is none.
 *
 * @param limitBytes of the longest body that the route reads
 * @throws HttpError 400, 413 or 415, and UNAVAILABLE when all bodies together take too much
 */
export async function receiveBody(exchange: Exchange, head: RequestHead, limitBytes: number) {
  const { request, response } = exchange;
  if (!exchange.hasBody) return new Uint8Array();
  if (exchange.declaredBytes > limitBytes) throw tooLarge(limitBytes);
  refuseOtherTypes(head, request.headers["content-type"]);
  const body = new GrowingBuffer(exchange.share, limitBytes);
  // While a body arrives, its request takes memory in place of one of the places: its client can be slow.
  if (!request.complete) {
    exchange.share.holdBody(0);
    exchange.share.givePlaceBack();
  }
  // The client waits for it with its body: whatever refuses the request without the body has refused it by now.
  if (head.expectsContinue) response.writeContinue();
  return receive(exchange, body);
}

const tooLarge = (limitBytes: number) =>
  new HttpError(413, `Request body must be at most ${limitBytes} bytes`);

/** What a client may send is JSON in UTF-8 as it is (RFC 9110, section 15.5.16). */
function refuseOtherTypes({ contentType, contentCodings }: RequestHead, sent = ""): void {
  if (contentCodings.some(coding => coding !== "identity"))
    throw new HttpError(415, "Content-Encoding is not supported", { "Accept-Encoding": "identity" });
  if (contentType === undefined) throw new HttpError(415, `Content-Type is malformed: ${sent.slice(0, 80)}`);
  if (contentType.type !== "application/json") throw new HttpError(415, notJson);
  for (const [name, value] of contentType.parameters) {
    if (name !== "charset" || /^utf-?8$/i.test(value)) continue;
    const shown = value.slice(0, 40) || '""';
    throw new HttpError(415, `Content-Type must be application/json in UTF-8, not in ${shown}`);
  }
}

function receive(exchange: Exchange, body: GrowingBuffer): Promise<Uint8Array> {
  const { request, share } = exchange;
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      share.move();
      try {
        body.append(chunk);
      } catch (error) {
        end(error);
      }
    };
    const end = (error?: unknown): void => {
      if (error === undefined) resolve(body.bytes());
      else reject(error);
      // Node keeps the request until the client has taken the response: with these listeners it would keep the body, too.
      request.off("data", take).off("end", end).off("close", fail);
      exchange.refuseBody = undefined;
      body.empty();
    };
    const fail = (): void => {
      const cause = request.errored ?? undefined;
      end(new HttpError(400, "Request body ended too early", {}, { cause }));
    };
    exchange.refuseBody = end;
    request.on("data", take).on("end", end).on("close", fail);
    // `close` follows, and says why.
    request.on("error", ignore);
    // It may have closed while the token was checked, and says so only once.
    if (request.closed) fail();
  });
}

/** Stays on the request, since an error without a listener would end the process. */
const ignore = (): void => {};

/**
 * Copies what arrives into one buffer: a chunk of one byte costs as much memory as one of a hundred, so that a body in
 * small chunks would take many times its length.
 */
class GrowingBuffer {
  readonly #share: Share;
  readonly #limitBytes: number;
  #buffer = none;
  #length = 0;

  constructor(share: Share, limitBytes: number) {
    this.#share = share;
    this.#limitBytes = limitBytes;
  }

  /** Throws HttpError 413, and UNAVAILABLE when all bodies together would take too much. */
  append(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#limitBytes) throw tooLarge(this.#limitBytes);
    if (needed > this.#buffer.length) {
      const capacity = Math.min(Math.max(needed, 2 * this.#buffer.length), this.#limitBytes);
      this.#share.holdBody(capacity);
      // As a rule the first chunk is all there is.
      this.#buffer = this.#length === 0 ? chunk : Buffer.concat([this.bytes()], capacity);
    }
    if (this.#buffer !== chunk) chunk.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Frees the memory also where the stack of an error that `append` threw still refers to this object. */
  empty(): void {
    this.#buffer = none;
    this.#length = 0;
  }
}

/** Throws INVALID for what is not a JSON object in UTF-8. */
export function parseBody(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const value = bytes.length === 0 ? undefined : parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("Request body must be a JSON object");
  return value as Record<string, unknown>;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    refuseUnstorable(text);
    return value;
  } catch (error) {
    throw error instanceof DomainError ? error : invalid("Request body is not valid JSON in UTF-8");
  }
}

/** NUL and lone surrogates can only come from an escape: UTF-8 and JSON exclude them otherwise. */
function refuseUnstorable(json: string): void {
  if (!json.includes("\\u")) return;
  const decoded = json.replace(/\\(?:u(.{4})|.)/g, (_, hex?: string) =>
    hex === undefined ? " " : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (!isStorable(decoded)) throw invalid("Request body must not contain NUL characters or lone surrogates");
}
