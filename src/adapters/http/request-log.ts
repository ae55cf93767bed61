import type { IncomingMessage, ServerResponse } from "node:http";
import type { EventLog } from "../../application/ports.ts";
import { DomainError, type ErrorCode } from "../../domain/error.ts";
import type { HttpError } from "./http-error.ts";

/** What the log says of a request; filled in as it becomes known. */
export interface Trace {
  readonly requestId: string;
  readonly method: string;
  readonly address: string;
  /** The pattern of the route's path. */
  route?: string;
  employeeId?: number;
}

/** Refusals that tell of an attack, or of a client gone wrong; the names are stable, for fail2ban and the like. */
const securityEvents: Partial<Record<ErrorCode, string>> = {
  LOGIN_FAILED: "login failed",
  THROTTLED: "login throttled",
  TOKEN_REFUSED: "token refused",
  UNAUTHENTICATED: "token refused",
  FORBIDDEN: "role refused",
};

export function makeRequestLog(events: EventLog) {
  return {
    /** One line for a request, when its answer has been sent or its client has gone. */
    follow(trace: Trace, response: ServerResponse): void {
      const startedAt = performance.now();
      response.once("close", () => {
        const milliseconds = Math.round((performance.now() - startedAt) * 10) / 10;
        events.info("request", { ...trace, status: response.statusCode, milliseconds });
      });
    },

    /** Why a request failed: as a security event, or with a cause that only the log may know. */
    explain(trace: Trace, request: IncomingMessage, failure: unknown, { status, cause }: HttpError): void {
      const event = failure instanceof DomainError ? securityEvents[failure.code] : undefined;
      if (event !== undefined) events.warn(event, { ...trace });
      if (status < 500 || cause === undefined) return;
      const { code } = cause as { code?: unknown };
      const isGone = code === "ERR_STREAM_PREMATURE_CLOSE";
      const level = isGone ? "debug" : status === 503 ? "warn" : "error";
      events[level]("request failed", {
        ...trace,
        path: request.url?.split("?")[0],
        status,
        // Of a driver's error nothing but its name and message: it carries the statement's parameters too.
        cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
        code: typeof code === "string" ? code : undefined,
      });
    },
  };
}
