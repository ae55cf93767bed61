import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../../application/ports.ts";
import { overloaded } from "../api/http-error.ts";
import type { Route } from "../api/route.ts";
import type { Admission, Phase, Share } from "./admission.ts";
import { requestIdOf } from "./request-id.ts";
import { readTarget, type Target } from "./target.ts";

/** The headers of every response. */
export const standingHeaders = (requestId: string): readonly string[] => [
  "X-Content-Type-Options",
  "nosniff",
  "Cache-Control",
  "no-store",
  "X-Request-Id",
  requestId,
];

/** What all exchanges of a server have in common. */
export interface Edge {
  readonly admission: Admission;
  readonly addressOf: (request: IncomingMessage) => string;
  /** The headers of every response to a request from this origin. */
  readonly headersFor: (origin: string | undefined) => readonly string[];
  /** How long the client may pause while the rest of its request is thrown away. */
  readonly lingerMilliseconds: number;
}

/**
 * A request and its response.
 *
 * | Phase     | What happens                                                 | What ends it                               |
 * |-----------|--------------------------------------------------------------|--------------------------------------------|
 * | arrived   | the head has been parsed; nothing is taken                   | a place is free, or a 503 is sent          |
 * | checking  | who asks, for what, and may they; takes a place              | all is known but the body, or an error     |
 * | receiving | the rest of the body is awaited; takes memory, and no place  | its end and a free place, or an error      |
 * | working   | the route runs; takes a place                                | it has returned or thrown                  |
 * | sending   | the response goes out at the pace of the client              | the response is closed, or only the rest of the request is missing |
 * | finishing | the response is out of our hands, what still arrives of the request is thrown away; takes nothing | the response is closed |
 * | closed    | the response has left the process or its client has gone, and nobody works on it any more | |
 *
 * An error skips to `finishing`. A client that goes away changes no phase: `closed` resolves, and the work ends by itself.
 */
export class Exchange implements Share {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly method: string;
  readonly target: Target;
  /** Of the client, as far as it can be known. */
  readonly address: string;
  /** Those that every outcome of it gets: names and values in turn. */
  readonly headers: readonly string[];
  readonly startedAt = performance.now();
  /** Resolves when the response has left the process, or its client has gone. */
  readonly closed: Promise<void>;
  readonly lingerMilliseconds: number;
  readonly #admission: Admission;

  route: Route | undefined;
  /** The `{id}` of the path. */
  recordId: number | undefined;
  caller: Caller | undefined;
  phase: Phase = "arrived";
  bodyBytes = 0;
  giveUp: () => void = () => {};
  /** The response went out to its end. */
  isWhole = false;
  /** The service could not finish the response. */
  hasFailed = false;

  constructor(request: IncomingMessage, response: ServerResponse, edge: Edge) {
    this.request = request;
    this.response = response;
    this.lingerMilliseconds = edge.lingerMilliseconds;
    this.#admission = edge.admission;
    this.id = requestIdOf(request);
    this.method = request.method ?? "";
    this.target = readTarget(request.url ?? "");
    this.address = edge.addressOf(request);
    this.headers = standingHeaders(this.id).concat(edge.headersFor(request.headers.origin));
    response.once("finish", () => {
      // Node calls a write finished, too, when the connection is destroyed under it.
      this.isWhole = !request.socket.destroyed;
    });
    this.closed = new Promise(resolve => response.once("close", resolve));
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
    if (!this.#admission.enter(this, phase)) throw overloaded();
  }

  /** Throws HttpError 503 when all bodies together would take too much. */
  hold(bodyBytes: number): void {
    if (!this.#admission.hold(this, bodyBytes)) throw overloaded();
  }
}
