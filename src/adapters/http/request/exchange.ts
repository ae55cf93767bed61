import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../../../application/ports.ts";
import { overloaded } from "../../../domain/error.ts";
import type { HeaderFields, HttpError } from "../../protocol/error-response.ts";
import { readTarget, type Target } from "../../protocol/target.ts";
import type { Route } from "../api/route.ts";
import { type Budget, Share, type ShareHolder } from "./budget.ts";

export const standingHeaders = (requestId: string): HeaderFields => ({
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "X-Request-Id": requestId,
});

const saneRequestId = /^[\w.:~+/=-]{1,128}$/;

/** The client's own X-Request-Id if it is safe in a header and a log line, else a new id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && saneRequestId.test(sent) ? sent : randomUUID();
}

/** What all exchanges of a server have in common. */
export interface Edge {
  readonly budget: Budget;
  /** The address of the client, as far as it can be known. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** The headers of every response to a request from this origin. */
  readonly headersFor: (origin: string | undefined) => HeaderFields;
}

/**
 * A request and its response. When the client goes away, the promise `responseClosed` resolves, and the work still goes on to its
 * end. When the rest of the request cannot be read, the response is an error if its route has not begun, and else that of the route.
 */
export class Exchange implements ShareHolder {
  readonly edge: Edge;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly method: string;
  readonly target: Target;
  /** Of the client. */
  readonly address: string;
  readonly startedAt = performance.now();
  /** Resolves when the response has left the process, or its client has gone. */
  readonly responseClosed: Promise<void>;
  /** What it holds of the process. */
  readonly share: Share;

  // The handler of requests finds these out.
  route: Route | undefined;
  /** The `{id}` of the path. */
  recordId: number | undefined;
  caller: Caller | undefined;

  /** Set by the connection, which then reads no more: the request is malformed, or has taken too long. */
  refusal: HttpError | undefined;
  /** Set while the body is awaited: ends the wait. */
  refuseBody: ((error: Error) => void) | undefined;

  /** Set when the response begins before the whole body has arrived. Then the connection ends, since its next bytes are no request. */
  leavesRest = false;
  /** The response went out to its end. */
  isWhole = false;
  /** Set where the service cannot finish the response, or gives it up for another. */
  hasFailed = false;

  constructor(request: IncomingMessage, response: ServerResponse, edge: Edge) {
    this.edge = edge;
    this.request = request;
    this.response = response;
    this.id = requestIdOf(request);
    this.method = request.method ?? "";
    this.target = readTarget(request.url ?? "");
    this.address = edge.addressOf(request);
    this.share = new Share(edge.budget, this);
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

  get headers(): HeaderFields {
    return { ...standingHeaders(this.id), ...this.edge.headersFor(this.request.headers.origin) };
  }

  /** 0 also for a body in chunks. */
  get declaredBytes(): number {
    return Number(this.request.headers["content-length"] ?? 0);
  }

  /** Whether a body belongs to the request (RFC 9112, section 6.3). */
  get hasBody(): boolean {
    return this.declaredBytes > 0 || this.request.headers["transfer-encoding"] !== undefined;
  }

  /** Whether a part of the body is still to come. */
  get isArriving(): boolean {
    return !this.request.complete && this.hasBody;
  }

  /** The rest of the request cannot be read. */
  refuse(refusal: HttpError): void {
    this.refusal = refusal;
    this.refuseBody?.(refusal);
  }

  giveUp(): void {
    if (this.refuseBody !== undefined) this.refuseBody(overloaded());
    else {
      this.hasFailed = true;
      this.request.socket.destroy();
    }
  }
}
