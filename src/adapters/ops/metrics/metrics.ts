import { trailConditionKinds } from "../../../application/trail/condition.ts";
import type { Readiness } from "../figures/readiness.ts";
import type { Reading } from "../figures/reading.ts";
import { durationBoundsSeconds } from "../figures/request-meter.ts";
import { buckets, by, counter, gauge, histogram, type Sample } from "./exposition.ts";

/** The body of `/metrics`. */
export function metricsText(reading: Reading, { ready, checks }: Readiness): string {
  const { requests, http, certificate, database, passwords, trail, runtime } = reading;
  const lag = runtime.eventLoopDelay;
  const connections = { in_use: database.inUse, idle: database.idle };
  const hashes = { working: passwords.working, waiting: passwords.waiting };
  const conditionOf = (kind: string): Sample => [{ condition: kind }, Number(kind === trail.condition.kind)];
  return [
    gauge("maintenance_log_build_info", "Always 1; the labels are the versions of the service and of Node.", [
      [{ version: reading.version, node: runtime.nodeVersion }, 1],
    ]),
    gauge(
      "process_start_time_seconds",
      "When the process started, since the epoch; a change means a restart.",
      runtime.startedAtSeconds,
    ),
    gauge("maintenance_log_ready", "1 when /readyz is 200, else 0.", Number(ready)),
    gauge(
      "maintenance_log_check_ok",
      "1 or 0 for each check of /readyz.",
      Object.entries(checks).map(([check, state]): Sample => [{ check }, Number(state === "ok")]),
    ),
    counter(
      "http_requests_total",
      "Requests by the pattern of their path; status 499: the client left before the response.",
      requests.flatMap(({ method, route, statuses }) =>
        [...statuses].map(([status, count]): Sample => [{ method, route, status: `${status}` }, count]),
      ),
    ),
    histogram(
      "http_request_duration_seconds",
      "Time from the header of a request to the end of its response.",
      requests.flatMap(({ method, route, counts, milliseconds }) =>
        buckets({ method, route }, durationBoundsSeconds, counts, milliseconds / 1_000),
      ),
    ),
    counter(
      "http_responses_cut_total",
      "Responses cut off after their status, by the service or by the client.",
      by("by", reading.cutResponses),
    ),
    gauge("http_requests_in_flight", "Requests that the service works on.", http.requests),
    gauge("http_connections", "Open connections.", http.connections),
    gauge("http_body_bytes", "Bytes of the bodies of requests under way.", http.bodyBytes),
    gauge("http_response_bytes", "Bytes of responses that clients have not taken.", http.responseBytes),
    counter(
      "http_turned_away_total",
      "Requests and bodies past a limit (503), connections past one, and clients that were too slow.",
      by("what", {
        request: http.turnedAway.requests,
        body: http.turnedAway.bodies,
        connection: http.turnedAway.connections,
        slow_client: http.turnedAway.slowClients,
      }),
    ),
    counter(
      "maintenance_log_refusals_total",
      "Failed and throttled logins (401, 429), refused tokens (403, 401) and roles (403).",
      by("reason", reading.refusals),
    ),
    gauge(
      "maintenance_log_certificate_end_seconds",
      "When the certificate in use ends, since the epoch.",
      certificate?.validToSeconds,
    ),
    gauge(
      "maintenance_log_certificate_renewal_failed",
      "1 after a reload that could not use the files; the next start would fail.",
      certificate && Number(certificate.isRenewalFailed),
    ),
    gauge("maintenance_log_database_connections", "Connections to PostgreSQL.", by("state", connections)),
    gauge("maintenance_log_database_connections_limit", "Most connections to PostgreSQL.", database.limit),
    gauge(
      "maintenance_log_database_statements_waiting",
      "Statements that wait for a connection; above 0 for long, the database is too slow.",
      database.waiting,
    ),
    gauge(
      "maintenance_log_password_hashes",
      "Password hashes that are computed or wait.",
      by("state", hashes),
    ),
    gauge("maintenance_log_trail_entries", "Entries of the trail that this process knows.", trail.size),
    gauge(
      "maintenance_log_trail_signed",
      "1 when the trail is signed, 0 without TRAIL_KEY.",
      Number(trail.isSigned),
    ),
    gauge(
      "maintenance_log_trail_checkpoint_entries",
      "Entries that the newest checkpoint covers.",
      trail.checkpointSize,
    ),
    gauge(
      "maintenance_log_trail_checkpoint_age_seconds",
      "Age of the newest checkpoint; grows while nothing is written.",
      trail.checkpointAgeSeconds,
    ),
    gauge(
      "maintenance_log_trail_condition",
      "1 of the present condition, 0 of the others.",
      trailConditionKinds.map(conditionOf),
    ),
    gauge(
      "maintenance_log_trail_poll_age_seconds",
      "Time since the last poll of the database that succeeded; below 2 as a rule.",
      trail.pollAgeSeconds,
    ),
    gauge(
      "maintenance_log_trail_transaction_wait_seconds",
      "How long the trail has waited for an older transaction, for example a prepared one.",
      trail.transactionWaitSeconds,
    ),
    gauge(
      "maintenance_log_trail_waiting_records",
      "Records that may have no number; 0 when the trail is whole.",
      trail.waitingRecords,
    ),
    gauge(
      "nodejs_eventloop_lag_p50_seconds",
      "Median event-loop delay of the last minute; 0.001 is normal.",
      lag.medianSeconds,
    ),
    gauge(
      "nodejs_eventloop_lag_p99_seconds",
      "99th percentile of the event-loop delay of the last minute.",
      lag.p99Seconds,
    ),
    gauge("nodejs_eventloop_lag_max_seconds", "Longest event-loop delay of the last minute.", lag.maxSeconds),
    counter(
      "maintenance_log_dropped_log_lines_total",
      "Log lines that could not be written to standard output.",
      reading.droppedLogLines,
    ),
    counter(
      "process_cpu_seconds_total",
      "CPU time of all threads; the event loop uses at most 1 a second.",
      runtime.cpuSeconds,
    ),
    gauge("process_resident_memory_bytes", "Memory of the process.", runtime.residentBytes),
    gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use.", runtime.heapUsedBytes),
    gauge(
      "nodejs_heap_size_limit_bytes",
      "Size of the JavaScript heap at which the process ends.",
      runtime.heapLimitBytes,
    ),
    gauge("nodejs_external_memory_bytes", "Buffers beside the JavaScript heap.", runtime.externalBytes),
  ].join("");
}
