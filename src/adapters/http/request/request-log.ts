import type { IncomingMessage, ServerResponse } from "node:http";
import type { EventLog, Origin } from "../../../application/ports.ts";
import { DomainError, type ErrorCode } from "../../../domain/error.ts";
import type { HttpError } from "../api/http-error.ts";

/** What the log says of a request; filled in as it becomes known. */
export interface RequestDetails {
  readonly requestId: string;
  readonly method: string;
  readonly address: string;
  /** The pattern of the route's path. */
  route?: string;
  /** The `{id}` of the path: of whom or what. */
  id?: number;
  employeeId?: number;
}

/** Whoever counts requests. Called on every one of them: it must return at once and never throw. */
export interface RequestMeter {
  answered(method: string, route: string | undefined, status: number, milliseconds: number): void;
  /** An answer that ended before it was whole, after its status had been sent. */
  cut(by: "client" | "service"): void;
  /** An expected failure, whatever became of it. */
  refused(code: ErrorCode): void;
}

const noMeter: RequestMeter = { answered() {}, cut() {}, refused() {} };

/** What nginx calls a request whose client has gone before there was an answer. */
const clientGone = 499;

/** Refusals that tell of an attack, or of a client gone wrong; the names are stable, for fail2ban and the like. */
const securityEvents: Partial<Record<ErrorCode, string>> = {
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
  /** Those whose answer the service could not finish. */
  const failed = new WeakSet<RequestDetails>();
  return {
    /** One line for a request, when its answer has been sent or its client has gone. */
    follow(details: RequestDetails, response: ServerResponse): void {
      const startedAt = performance.now();
      response.once("close", () => {
        const elapsed = performance.now() - startedAt;
        const status = response.headersSent ? response.statusCode : clientGone;
        const cut = response.headersSent && !response.writableFinished;
        meter.answered(details.method, details.route, status, elapsed);
        if (cut) meter.cut(failed.has(details) ? "service" : "client");
        const outcome = cut ? { status, cut } : { status };
        events.info("request", { ...details, ...outcome, milliseconds: Math.round(elapsed * 10) / 10 });
      });
    },

    /** The log as what the request does writes into it. */
    eventsOf: (details: RequestDetails): Origin["events"] => ({
      info: (event, more) => events.info(event, { ...details, ...more }),
      warn: (event, more) => events.warn(event, { ...details, ...more }),
    }),

    /** Parameters that the route does not know, perhaps misspelt. Their values are never logged. */
    ignored(details: RequestDetails, names: readonly string[]): void {
      // What looks like no name may be a value, or a token, that was sent without one.
      const shown = names.slice(0, 10).map(name => (parameterName.test(name) ? name : "…"));
      events.debug("query parameters ignored", { ...details, names: shown.join(", ") });
    },

    /** Why a request failed: as a security event, or with a cause that only the log may know. */
    explain(
      details: RequestDetails,
      request: IncomingMessage,
      failure: unknown,
      { status, cause }: HttpError,
    ): void {
      if (!isClientGone(failure)) failed.add(details);
      if (failure instanceof DomainError) {
        meter.refused(failure.code);
        const event = securityEvents[failure.code];
        const { employeeId = details.employeeId } = failure;
        if (event !== undefined) {
          events.warn(event, employeeId === undefined ? { ...details } : { ...details, employeeId });
        }
      }
      if (status < 500 || cause === undefined) return;
      const { code } = cause as { code?: unknown };
      const level = isClientGone(cause) ? "debug" : status === 503 ? "warn" : "error";
      events[level]("request failed", {
        ...details,
        path: request.url?.split("?")[0],
        status,
        // Of a driver's error nothing but its name and message: it carries the statement's parameters too.
        cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
        code: typeof code === "string" ? code : undefined,
      });
    },
  };
}
