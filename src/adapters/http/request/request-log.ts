import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal, RequestMeter } from "../../../application/figures.ts";
import type { EventLog, Origin } from "../../../application/ports.ts";
import { DomainError, type ErrorCode } from "../../../domain/error.ts";
import type { HttpError } from "../api/http-error.ts";

/** The log's details of a request, filled in as they become known. */
export interface RequestDetails {
  readonly requestId: string;
  readonly method: string;
  readonly address: string;
  /** The pattern of the route's path. */
  route?: string;
  /** The `{id}` of the path. */
  id?: number;
  employeeId?: number;
}

const noMeter: RequestMeter = { answered() {}, cut() {}, refused() {} };

/** The status of a request whose client has gone before the response, as nginx logs it. */
const clientGone = 499;

/** The names of these events are stable, because fail2ban and alerts match them. */
const refusalOf: Partial<Record<ErrorCode, Refusal>> = {
  LOGIN_FAILED: "login failed",
  THROTTLED: "login throttled",
  TOKEN_MISSING: "token refused",
  TOKEN_REFUSED: "token refused",
  UNAUTHENTICATED: "token refused",
  FORBIDDEN: "role refused",
};

const parameterName = /^[A-Za-z][\w.-]{0,39}$/;

const isClientGone = (failure: unknown): boolean =>
  (failure as { code?: unknown } | null)?.code === "ERR_STREAM_PREMATURE_CLOSE";

export function makeRequestLog(events: EventLog, meter = noMeter) {
  /** Those whose response the service could not finish. */
  const failed = new WeakSet<RequestDetails>();
  return {
    /** One line for a request, when its response has been sent or its client has gone. */
    follow(details: RequestDetails, response: ServerResponse): void {
      const startedAt = performance.now();
      let isWhole = false;
      response.on("finish", () => {
        // Node calls a write finished, too, when the connection is destroyed under it.
        isWhole = !response.req.socket.destroyed;
      });
      response.on("close", () => {
        const elapsed = performance.now() - startedAt;
        const status = response.headersSent ? response.statusCode : clientGone;
        const cut = response.headersSent && !isWhole;
        meter.answered(details.method, details.route, status, elapsed);
        if (cut) meter.cut(failed.has(details) ? "service" : "client");
        const milliseconds = Math.round(elapsed * 10) / 10;
        events.info("request", { ...details, status, ...(cut && { cut }), milliseconds });
      });
    },

    /** The log as what the request does writes into it. */
    eventsOf: (details: RequestDetails): Origin["events"] => ({
      info: (event, more) => events.info(event, { ...details, ...more }),
      warn: (event, more) => events.warn(event, { ...details, ...more }),
    }),

    /** Parameters that the route does not know, perhaps misspelt. Their values are never logged. */
    ignored(details: RequestDetails, names: readonly string[]): void {
      // A parameter without a plain name may be a value or a token that was sent without one.
      const shown = names.slice(0, 10).map(name => (parameterName.test(name) ? name : "…"));
      events.debug("query parameters ignored", { ...details, names: shown.join(", ") });
    },

    /** Logs why a request failed: as a security event, or with a cause that the client must not see. */
    explain(
      details: RequestDetails,
      request: IncomingMessage,
      failure: unknown,
      { status, cause }: HttpError,
    ): void {
      if (!isClientGone(failure)) failed.add(details);
      if (failure instanceof DomainError) {
        const refusal = refusalOf[failure.code];
        const { employeeId = details.employeeId } = failure;
        if (refusal !== undefined) {
          meter.refused(refusal);
          events.warn(refusal, employeeId === undefined ? { ...details } : { ...details, employeeId });
        }
      }
      if (status < 500 || cause === undefined) return;
      const { code } = cause as { code?: unknown };
      const level = isClientGone(cause) ? "debug" : status === 503 ? "warn" : "error";
      events[level]("request failed", {
        ...details,
        path: request.url?.split("?")[0],
        status,
        // Only name and message: an error of the driver also carries the parameters of the statement.
        cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
        code: typeof code === "string" ? code : undefined,
      });
    },
  };
}
