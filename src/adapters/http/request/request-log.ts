import type { EventLog, LogDetails } from "../../../application/clock-and-log.ts";
import type { Refusal, RequestMeter } from "../../../application/figures.ts";
import type { RequestContext } from "../../../application/ports.ts";
import { DomainError, type ErrorCode } from "../../../domain/error.ts";
import type { HttpError } from "../../protocol/error-response.ts";
import type { Exchange } from "./exchange.ts";
import { ClientGone } from "./response.ts";

/** What the log says of a request, as far as it is known. */
const detailsOf = ({ id, method, address, route, recordId, caller }: Exchange): LogDetails => ({
  requestId: id,
  method,
  address,
  route: route?.path,
  id: recordId,
  employeeId: caller?.employeeId,
});

const noMeter: RequestMeter = { responded() {}, cut() {}, refused() {} };

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

export function makeRequestLog(events: EventLog, meter = noMeter) {
  return {
    /** One line for a request, when its response has been sent or its client has gone. */
    async follow(exchange: Exchange): Promise<void> {
      await exchange.responseClosed;
      const { response, method, route, startedAt, isWhole, hasFailed } = exchange;
      const elapsed = performance.now() - startedAt;
      const status = response.headersSent ? response.statusCode : clientGone;
      const cut = response.headersSent && !isWhole;
      meter.responded(method, route?.path, status, elapsed);
      if (cut) meter.cut(hasFailed ? "service" : "client");
      const milliseconds = Math.round(elapsed * 10) / 10;
      events.info("request", { ...detailsOf(exchange), status, ...(cut && { cut }), milliseconds });
    },

    /** The log for the use case of a request: adds to each event what is known of the request. */
    eventsOf: (exchange: Exchange): RequestContext["events"] => ({
      info: (event, more) => events.info(event, { ...detailsOf(exchange), ...more }),
      warn: (event, more) => events.warn(event, { ...detailsOf(exchange), ...more }),
    }),

    /** Logs why a request failed: as a security event, or with a cause that the client must not see. */
    explain(exchange: Exchange, failure: unknown, { status, cause }: HttpError): void {
      const details = detailsOf(exchange);
      const refusal = failure instanceof DomainError && refusalOf[failure.code];
      if (refusal) {
        const { employeeId = exchange.caller?.employeeId, reason } = failure;
        meter.refused(refusal);
        events.warn(refusal, { ...details, employeeId, reason });
      }
      if (status < 500 || cause === undefined) return;
      const { code } = cause as { code?: unknown };
      const level = cause instanceof ClientGone ? "debug" : status === 503 ? "warn" : "error";
      events[level]("request failed", {
        ...details,
        path: exchange.target.path,
        status,
        // Only name and message: an error of the driver also carries the parameters of the statement.
        cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
        code: typeof code === "string" ? code : undefined,
      });
    },
  };
}
