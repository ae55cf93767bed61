import { trailConditionKinds } from "../../../application/trail/condition.ts";
import type { Readiness } from "../figures/readiness.ts";
import type { Reading } from "../figures/reading.ts";
import { durationBoundsSeconds } from "../figures/request-meter.ts";
import { buckets, by, counter, gauge, histogram, type Sample } from "./exposition.ts";

/** The body of `/metrics`. The meaning of each metric is in docs/monitoring.md. */
export function metricsText(reading: Reading, { ready, checks }: Readiness): string {
  const { requests, http, certificate, database, passwords, trail, runtime } = reading;
  const lag = runtime.eventLoopDelay;
  const connections = { in_use: database.inUse, idle: database.idle };
  const hashes = { working: passwords.working, waiting: passwords.waiting };
  const checkpointAge = trail.checkpointAgeSeconds ?? [];
  const conditionOf = (kind: string): Sample => [{ condition: kind }, Number(kind === trail.condition.kind)];
  return [
    gauge("maintenance_log_build_info", "1, with the version of the service and of Node.", [
      [{ version: reading.version, node: runtime.nodeVersion }, 1],
    ]),
    gauge("process_start_time_seconds", "Start, since the epoch.", runtime.startedAtSeconds),
    gauge("maintenance_log_ready", "1 when /readyz is 200.", Number(ready)),
    gauge(
      "maintenance_log_check_ok",
      "Whether a check of /readyz is passed.",
      Object.entries(checks).map(([check, state]): Sample => [{ check }, Number(state === "ok")]),
    ),
    counter(
      "http_requests_total",
      "Requests with a response, or left by their client (status 499), by the pattern of their route.",
      requests.flatMap(({ method, route, statuses }) =>
        [...statuses].map(([status, count]): Sample => [{ method, route, status: `${status}` }, count]),
      ),
    ),
    histogram(
      "http_request_duration_seconds",
      "Time from the header of a request to the end of its response, as the client takes it.",
      requests.flatMap(({ method, route, counts, milliseconds }) =>
        buckets({ method, route }, durationBoundsSeconds, counts, milliseconds / 1_000),
      ),
    ),
    counter("http_responses_cut_total", "Cut off after their status.", by("by", reading.cutResponses)),
    gauge("http_requests_in_flight", "Requests that are worked on.", http.requests),
    gauge("http_connections", "Open connections.", http.connections),
    gauge("http_body_bytes", "Bytes of the bodies of requests under way.", http.bodyBytes),
    gauge("http_response_bytes", "Bytes of responses that clients have not taken.", http.responseBytes),
    counter(
      "http_turned_away_total",
      "Turned away by a limit of the service.",
      by("what", {
        request: http.turnedAway.requests,
        body: http.turnedAway.bodies,
        connection: http.turnedAway.connections,
        slow_client: http.turnedAway.slowClients,
      }),
    ),
    counter("maintenance_log_refusals_total", "Logins and tokens refused.", by("reason", reading.refusals)),
    gauge(
      "maintenance_log_certificate_end_seconds",
      "End of the certificate in use, since the epoch.",
      certificate?.validToSeconds ?? [],
    ),
    gauge(
      "maintenance_log_certificate_renewal_failed",
      "1 when the files that were read last are wrong.",
      certificate === undefined ? [] : Number(certificate.isRenewalFailed),
    ),
    gauge("maintenance_log_database_connections", "Open connections.", by("state", connections)),
    gauge("maintenance_log_database_connections_limit", "How many there may be.", database.limit),
    gauge(
      "maintenance_log_database_statements_waiting",
      "Those that wait for a connection.",
      database.waiting,
    ),
    gauge("maintenance_log_password_hashes", "Passwords at argon2.", by("state", hashes)),
    gauge("maintenance_log_trail_entries", "Entries of the provable trail.", trail.size),
    gauge("maintenance_log_trail_signed", "Whether the trail is signed.", Number(trail.isSigned)),
    gauge("maintenance_log_trail_checkpoint_entries", "Covered by a checkpoint.", trail.checkpointSize),
    gauge("maintenance_log_trail_checkpoint_age_seconds", "Age of the newest checkpoint.", checkpointAge),
    gauge("maintenance_log_trail_condition", "1 of the present one.", trailConditionKinds.map(conditionOf)),
    gauge(
      "maintenance_log_trail_poll_age_seconds",
      "Since the last poll that succeeded.",
      trail.pollAgeSeconds,
    ),
    gauge(
      "maintenance_log_trail_transaction_wait_seconds",
      "Wait for a transaction that may hold an older id.",
      trail.transactionWaitSeconds,
    ),
    gauge("maintenance_log_trail_waiting_records", "Records without a number.", trail.waitingRecords),
    gauge("nodejs_eventloop_lag_p50_seconds", "Event-loop delay, median of 30 to 60 s.", lag.medianSeconds),
    gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the same.", lag.p99Seconds),
    gauge("nodejs_eventloop_lag_max_seconds", "Longest of the same.", lag.maxSeconds),
    counter("maintenance_log_dropped_log_lines_total", "Lines of the log lost.", reading.droppedLogLines),
    counter("process_cpu_seconds_total", "CPU time of all threads, user and system.", runtime.cpuSeconds),
    gauge("process_resident_memory_bytes", "Resident memory.", runtime.residentBytes),
    gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use.", runtime.heapUsedBytes),
    gauge("nodejs_heap_size_limit_bytes", "What the heap may grow to.", runtime.heapLimitBytes),
    gauge("nodejs_external_memory_bytes", "Buffers and the like beside the heap.", runtime.externalBytes),
  ].join("");
}
