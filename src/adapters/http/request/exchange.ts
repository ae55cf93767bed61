import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../../application/ports.ts";
import type { HeaderFields } from "../../protocol/error-response.ts";
import { readTarget, type Target } from "../../protocol/target.ts";
import { overloaded } from "../api/http-error.ts";
import type { Route } from "../api/route.ts";
import type { Admission, Phase, Share } from "./admission.ts";
import type { ListHolder, ListMemory } from "./list-memory.ts";
import { requestIdOf } from "./request-id.ts";

/** The headers of every response. */
export const standingHeaders = (requestId: string): HeaderFields => ({
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "X-Request-Id": requestId,
});

/** What all exchanges of a server have in common. */
export interface Edge {
  readonly admission: Admission;
  readonly lists: ListMemory;
  readonly addressOf: (request: IncomingMessage) => string;
  /** The headers of every response to a request from this origin. */
  readonly headersFor: (origin: string | undefined) => HeaderFields;
  /** How long the client may pause while the rest of its request is thrown away. */
  readonly lingerMilliseconds: number;
}

/**
 * A request and its response. Its phase says what it takes of the process:
 *
 * - arrived: nothing. Next: `checking` if a place is free, or `finishing` with 503.
 * - checking: a place. Who asks, for what, and may they? Next: `receiving`, `working`, `sending` a preflight, or `finishing`
 *   with an error.
 * - receiving: no place, but memory for the body, which it keeps until `finishing`. Next: `working` if a place is free, or `finishing` with an error.
 * - working: a place, while the route runs. Next: `sending`, or `finishing` with an error.
 * - sending: a place, while the client takes the response. Next: `finishing` if the rest of the request is missing, or `closed`.
 * - finishing: nothing. The response is written, and the rest of the request thrown away. Next: `closed`.
 * - closed: nothing. The response has left the process or the client has gone, and the work has ended.
 *
 * A client that goes away changes no phase: the promise `responseClosed` resolves, and the work comes to its end.
 */
export class Exchange implements Share, ListHolder {
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
  // Both are written by Admission alone.
  phase: Phase = "arrived";
  bodyBytes = 0;
  // Both are written by ListMemory alone.
  listBytes = 0;
  listSince = 0;
  giveUp: () => void = () => {};
  /** The response went out to its end. */
  isWhole = false;
  /** The service could not finish the response. */
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

  get lists(): ListMemory {
    return this.#edge.lists;
  }

  get lingerMilliseconds(): number {
    return this.#edge.lingerMilliseconds;
  }

  /** The headers of every response to this request. */
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

  /** Throws HttpError 503 when the phase needs a place and none is free. */
  enter(phase: Phase): void {
    if (!this.#edge.admission.enter(this, phase)) throw overloaded();
  }

  /** Throws HttpError 503 when all bodies together would take too much. */
  hold(bodyBytes: number): void {
    if (!this.#edge.admission.hold(this, bodyBytes)) throw overloaded();
  }
}
