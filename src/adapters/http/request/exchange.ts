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
interface Edge {
  readonly budget: Budget;
  readonly addressOf: (request: IncomingMessage) => string;
  /** The headers of every response to a request from this origin. */
  readonly headersFor: (origin: string | undefined) => HeaderFields;
}

/**
 * A request and its response. A client that goes away ends no work: the promise `responseClosed` resolves, and the work comes to
 * its end. A request that cannot be read to its end is refused: before its route begins with an error, and from then on its
 * response is that of the route.
 */
export class Exchange implements ShareHolder {
  readonly edge: Edge;
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

  /** Set as the response begins, which then is the last one of its connection: the rest of the request would be read as the next one. */
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

  /** Whether a part of the body is still to come (RFC 9112, section 6.3). */
  get isArriving(): boolean {
    const { complete, headers } = this.request;
    return (
      !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)
    );
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
