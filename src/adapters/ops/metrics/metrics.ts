import { trailConditionKinds } from "../../../application/trail/condition.ts";
import type { Readiness } from "../figures/readiness.ts";
import type { Reading } from "../figures/reading.ts";
import { durationBoundsSeconds } from "../figures/request-meter.ts";
import * as exposition from "./exposition.ts";
import { buckets, by, type Sample } from "./exposition.ts";
import { meanings } from "./meanings.ts";

const explained =
  (write: typeof exposition.gauge) => (name: keyof typeof meanings, values: number | readonly Sample[]) =>
    write(name, meanings[name], values);
const gauge = explained(exposition.gauge);
const counter = explained(exposition.counter);
const histogram = explained(exposition.histogram);

/** The body of `/metrics`. */
export function metricsText(reading: Reading, { ready, checks }: Readiness): string {
  const { requests, http, certificate, database, passwords, trail, runtime } = reading;
  const lag = runtime.eventLoopDelay;
  const connections = { in_use: database.inUse, idle: database.idle };
  const hashes = { working: passwords.working, waiting: passwords.waiting };
  const checkpointAge = trail.checkpointAgeSeconds ?? [];
  const conditionOf = (kind: string): Sample => [{ condition: kind }, Number(kind === trail.condition.kind)];
  return [
    gauge("maintenance_log_build_info", [[{ version: reading.version, node: runtime.nodeVersion }, 1]]),
    gauge("process_start_time_seconds", runtime.startedAtSeconds),
    gauge("maintenance_log_ready", Number(ready)),
    gauge(
      "maintenance_log_check_ok",
      Object.entries(checks).map(([check, state]): Sample => [{ check }, Number(state === "ok")]),
    ),
    counter(
      "http_requests_total",
      requests.flatMap(({ method, route, statuses }) =>
        [...statuses].map(([status, count]): Sample => [{ method, route, status: `${status}` }, count]),
      ),
    ),
    histogram(
      "http_request_duration_seconds",
      requests.flatMap(({ method, route, counts, milliseconds }) =>
        buckets({ method, route }, durationBoundsSeconds, counts, milliseconds / 1_000),
      ),
    ),
    counter("http_responses_cut_total", by("by", reading.cutResponses)),
    gauge("http_requests_in_flight", http.requests),
    gauge("http_connections", http.connections),
    gauge("http_body_bytes", http.bodyBytes),
    gauge("http_response_bytes", http.responseBytes),
    counter(
      "http_turned_away_total",
      by("what", {
        request: http.turnedAway.requests,
        body: http.turnedAway.bodies,
        connection: http.turnedAway.connections,
        slow_client: http.turnedAway.slowClients,
      }),
    ),
    counter("maintenance_log_refusals_total", by("reason", reading.refusals)),
    gauge("maintenance_log_certificate_end_seconds", certificate?.validToSeconds ?? []),
    gauge(
      "maintenance_log_certificate_renewal_failed",
      certificate === undefined ? [] : Number(certificate.isRenewalFailed),
    ),
    gauge("maintenance_log_database_connections", by("state", connections)),
    gauge("maintenance_log_database_connections_limit", database.limit),
    gauge("maintenance_log_database_statements_waiting", database.waiting),
    gauge("maintenance_log_password_hashes", by("state", hashes)),
    gauge("maintenance_log_trail_entries", trail.size),
    gauge("maintenance_log_trail_signed", Number(trail.isSigned)),
    gauge("maintenance_log_trail_checkpoint_entries", trail.checkpointSize),
    gauge("maintenance_log_trail_checkpoint_age_seconds", checkpointAge),
    gauge("maintenance_log_trail_condition", trailConditionKinds.map(conditionOf)),
    gauge("maintenance_log_trail_poll_age_seconds", trail.pollAgeSeconds),
    gauge("maintenance_log_trail_transaction_wait_seconds", trail.transactionWaitSeconds),
    gauge("maintenance_log_trail_waiting_records", trail.waitingRecords),
    gauge("nodejs_eventloop_lag_p50_seconds", lag.medianSeconds),
    gauge("nodejs_eventloop_lag_p99_seconds", lag.p99Seconds),
    gauge("nodejs_eventloop_lag_max_seconds", lag.maxSeconds),
    counter("maintenance_log_dropped_log_lines_total", reading.droppedLogLines),
    counter("process_cpu_seconds_total", runtime.cpuSeconds),
    gauge("process_resident_memory_bytes", runtime.residentBytes),
    gauge("nodejs_heap_size_used_bytes", runtime.heapUsedBytes),
    gauge("nodejs_heap_size_limit_bytes", runtime.heapLimitBytes),
    gauge("nodejs_external_memory_bytes", runtime.externalBytes),
  ].join("");
}
