import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../../application/ports.ts";
import { overloaded } from "../../../domain/error.ts";
import type { HeaderFields, HttpError } from "../../protocol/error-response.ts";
import { mostHeaders } from "../../protocol/request-head.ts";
import { readTarget, type Target } from "../../protocol/target.ts";
import type { Route } from "../api/route.ts";
import { type Account, leastBytes, type Phase, type Share } from "./account.ts";
import { type HttpLimits, httpLimits } from "./limits.ts";

export const standingHeaders = (requestId: string): HeaderFields => ({
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "X-Request-Id": requestId,
});

/** What Node keeps of a name or a value in the head of a request, beside its text: up to 80 bytes were measured. */
const textBytes = 96;
/** The memory of the largest head. Node may have read one more behind a request. */
const nextHeadBytes = leastBytes + httpLimits.headerBytes + 2 * mostHeaders * textBytes;

const saneRequestId = /^[\w.:~+/=-]{1,128}$/;

/** The client's own X-Request-Id if it is safe in a header and a log line, else a new id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && saneRequestId.test(sent) ? sent : randomUUID();
}

/** What all exchanges of a server have in common. */
export interface Edge extends Pick<HttpLimits, "lingerMilliseconds" | "longListBytes" | "aheadBytes"> {
  readonly account: Account;
  readonly addressOf: (request: IncomingMessage) => string;
  /** The headers of every response to a request from this origin. */
  readonly headersFor: (origin: string | undefined) => HeaderFields;
}

/**
 * A request and its response. Its phase says what it holds of the process (account.ts):
 *
 * - arrived: nothing. Next: `checking` if a place is free, or `responding` with 503.
 * - checking: a place. Who asks, for what, and may they? Next: `receiving`, `working`, or `responding` with an error.
 * - receiving: no place, but memory for the body, until the response. Next: `working` if a place is free, or `responding` with an error.
 * - working: a place, while the route runs. Next: `responding`.
 * - responding: the bytes of the response, until the client has taken them. Next: `closed`.
 * - closed: nothing. The response has left the process or the client has gone, and the work has ended.
 *
 * A client that goes away changes no phase: the promise `responseClosed` resolves, and the work comes to its end. A request that
 * cannot be read to its end is refused: before `working` with an error, and from then on its response is that of the route.
 */
export class Exchange implements Share {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly method: string;
  readonly target: Target;
  /** The client's, as far as it can be known. */
  readonly address: string;
  readonly startedAt = performance.now();
  /** Resolves when the response has left the process, or its client has gone. */
  readonly responseClosed: Promise<void>;
  readonly #edge: Edge;

  route: Route | undefined;
  /** The `{id}` of the path. */
  recordId: number | undefined;
  caller: Caller | undefined;
  // Only Account writes these three.
  phase: Phase = "arrived";
  bodyBytes = 0;
  responseBytes = 0;

  /** When the client has sent or taken something. */
  movedAt = this.startedAt;
  /** Why the rest of the request is not read: it is malformed, or has taken too long. */
  refusal: HttpError | undefined;
  /** Ends the wait for the body, while there is one. */
  refuseBody: ((error: Error) => void) | undefined;
  /** The response is the last one of its connection: what has not arrived of the request would be read as the next one. */
  isLast = false;
  /** The response went out to its end. */
  isWhole = false;
  /** The service could not finish the response, or did not want to. */
  hasFailed = false;

  constructor(request: IncomingMessage, response: ServerResponse, edge: Edge) {
    this.request = request;
    this.response = response;
    this.#edge = edge;
    this.id = requestIdOf(request);
    this.method = request.method ?? "";
    this.target = readTarget(request.url ?? "");
    this.address = edge.addressOf(request);
    response.on("finish", () => {
      // Node calls a write finished, too, when the connection is destroyed under it.
      this.isWhole = !request.socket.destroyed;
    });
    this.responseClosed = new Promise(resolve => response.on("close", resolve));
  }

  get owner(): number | string {
    return this.caller?.employeeId ?? this.address;
  }

  get hasToken(): boolean {
    return this.caller !== undefined;
  }

  /** How long the client may pause while the rest of its request is thrown away. */
  get lingerMilliseconds(): number {
    return this.#edge.lingerMilliseconds;
  }

  get headers(): HeaderFields {
    return { ...standingHeaders(this.id), ...this.#edge.headersFor(this.request.headers.origin) };
  }

  /** Whether a part of the body is still to come (RFC 9112, section 6.3). */
  get isArriving(): boolean {
    const { complete, headers } = this.request;
    return (
      !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)
    );
  }

  /** The memory that it takes without its body and its response: mostly that of its head. */
  get ownBytes(): number {
    const { url = "", rawHeaders } = this.request;
    let bytes = leastBytes + url.length;
    for (const text of rawHeaders) bytes += textBytes + text.length;
    return bytes;
  }

  /** The client has sent or taken something. */
  move(): void {
    this.movedAt = performance.now();
  }

  /** Throws the refusal of the request if there is one, and UNAVAILABLE when no place is free. */
  work(phase: "checking" | "working"): void {
    this.#throwRefusal();
    if (!this.#edge.account.work(this, phase)) throw overloaded();
  }

  /** Throws the refusal of the request if there is one. */
  receive(): void {
    this.#throwRefusal();
    this.#edge.account.receive(this);
  }

  /** Throws UNAVAILABLE when all bodies together would take too much. */
  holdBody(bytes: number): void {
    if (!this.#edge.account.holdBody(this, bytes)) throw overloaded();
  }

  /** Begins the response: it holds this many bytes until the client has taken them. */
  respond(bytes: number): void {
    this.move();
    this.#edge.account.respond(this, this.ownBytes + nextHeadBytes + bytes);
  }

  /**
   * Begins a list. Throws UNAVAILABLE when there is no memory for it.
   *
   * @param bytes of the list; undefined when it is of more than one chunk
   */
  respondWithList(bytes?: number): void {
    this.move();
    const held = bytes === undefined ? this.#edge.longListBytes : this.ownBytes + nextHeadBytes + bytes;
    if (!this.#edge.account.respondWithList(this, held)) throw overloaded();
  }

  /** Memory for a page of a list that is read ahead; false when others may need it. */
  holdAhead(): boolean {
    return this.#edge.account.holdAhead(this, this.#edge.aheadBytes);
  }

  /** The client has taken the response or has gone, and the work has ended. */
  close(): void {
    this.#edge.account.close(this);
  }

  /** The rest of the request cannot be read. */
  refuse(refusal: HttpError): void {
    this.refusal = refusal;
    this.refuseBody?.(refusal);
  }

  #throwRefusal(): void {
    if (this.refusal !== undefined) throw this.refusal;
  }

  giveUp(): void {
    if (this.phase === "receiving") this.refuseBody?.(overloaded());
    else {
      this.hasFailed = true;
      this.request.socket.destroy();
    }
  }
}
