import type { Readiness } from "../figures/readiness.ts";
import type { Reading } from "../figures/reading.ts";
import { durationBoundsSeconds } from "../figures/request-meter.ts";
import { type Family, formatFamilies, type Sample } from "./exposition.ts";

/** What `/metrics` answers. The meaning of each is in docs/monitoring.md. */
export const metricsText = (reading: Reading, readiness: Readiness): string =>
  formatFamilies([
    ...serviceFamilies(reading, readiness),
    ...requestFamilies(reading),
    ...poolFamilies(reading),
    ...trailFamilies(reading),
    ...processFamilies(reading),
  ]);

const serviceFamilies = (reading: Reading, readiness: Readiness): Family[] => [
  gauge("maintenance_log_build_info", "1, with the version of the service and of Node.", [
    { labels: { version: reading.version, node: reading.runtime.nodeVersion }, value: 1 },
  ]),
  gauge(
    "process_start_time_seconds",
    "When the process started, since the epoch.",
    reading.runtime.startedAtSeconds,
  ),
  gauge("maintenance_log_ready", "Whether requests should be sent here: what /readyz says.", [
    { value: readiness.ready ? 1 : 0 },
  ]),
  gauge(
    "maintenance_log_check_ok",
    "Whether a check of /readyz is passed.",
    Object.entries(readiness.checks).map(([check, state]) => ({
      labels: { check },
      value: state === "ok" ? 1 : 0,
    })),
  ),
];

const requestFamilies = ({ requests, cutAnswers, refusals, http }: Reading): Family[] => [
  counter(
    "http_requests_total",
    "Requests answered, or left by their client (status 499), by the pattern of their route.",
    requests.flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, value]) => ({ labels: { method, route, status: String(status) }, value })),
    ),
  ),
  {
    name: "http_request_duration_seconds",
    help: "Time from the header of a request to the end of its answer, as the client takes it.",
    type: "histogram",
    bounds: durationBoundsSeconds,
    distributions: requests.map(({ method, route, counts, milliseconds }) => ({
      labels: { method, route },
      counts,
      sum: milliseconds / 1_000,
    })),
  },
  counter(
    "http_answers_cut_total",
    "Answers that ended before they were whole, after their status had been sent.",
    Object.entries(cutAnswers).map(([by, value]) => ({ labels: { by }, value })),
  ),
  gauge("http_requests_in_flight", "Requests under way.", http.requests),
  gauge("http_connections", "Open connections.", http.connections),
  gauge("http_body_bytes", "Bytes of the bodies of requests under way.", http.bodyBytes),
  counter("http_turned_away_total", "What the bounds of the service turned away before any work was done.", [
    { labels: { what: "request" }, value: http.turnedAway.requests },
    { labels: { what: "body" }, value: http.turnedAway.bodies },
    { labels: { what: "connection" }, value: http.turnedAway.connections },
    { labels: { what: "slow_client" }, value: http.turnedAway.slowClients },
  ]),
  counter(
    "maintenance_log_refusals_total",
    "Logins failed and throttled, tokens and roles refused.",
    Object.entries(refusals).map(([refusal, value]) => ({
      labels: { reason: refusal.replace(" ", "_") },
      value,
    })),
  ),
];

const poolFamilies = ({ database, passwords }: Reading): Family[] => [
  gauge("maintenance_log_database_connections", "Connections to the database.", [
    { labels: { state: "in_use" }, value: database.inUse },
    { labels: { state: "idle" }, value: database.idle },
  ]),
  gauge("maintenance_log_database_connections_limit", "How many connections there may be.", database.limit),
  gauge(
    "maintenance_log_database_statements_waiting",
    "Statements that wait for a connection.",
    database.waiting,
  ),
  gauge("maintenance_log_password_hashes", "Passwords being hashed by argon2, and those that wait.", [
    { labels: { state: "working" }, value: passwords.working },
    { labels: { state: "waiting" }, value: passwords.waiting },
  ]),
];

const trailFamilies = ({ trail }: Reading): Family[] => [
  gauge("maintenance_log_trail_entries", "Entries of the provable trail.", trail.size),
  gauge("maintenance_log_trail_signed", "Whether the trail is signed.", trail.isSigned ? 1 : 0),
  gauge("maintenance_log_trail_checkpoint_entries", "Entries that the newest checkpoint covers.", [
    { value: trail.checkpointSize },
  ]),
  gauge(
    "maintenance_log_trail_checkpoint_age_seconds",
    "Time since the newest checkpoint was signed, while there is one.",
    trail.checkpointAgeSeconds === undefined ? [] : [{ value: trail.checkpointAgeSeconds }],
  ),
  gauge(
    "maintenance_log_trail_broken",
    "1 while the stored trail contradicts what was signed before, and nothing is signed.",
    trail.contradiction === undefined ? 0 : 1,
  ),
  gauge("maintenance_log_trail_mismatches", "Records that did not match when they were read last.", [
    { value: trail.mismatches },
  ]),
  gauge(
    "maintenance_log_trail_reading_ratio",
    "How much of all records the background reading has read in this round, from 0 to 1.",
    trail.readingFraction,
  ),
];

const processFamilies = ({ runtime, droppedLogLines }: Reading): Family[] => {
  const { medianSeconds, p99Seconds, maxSeconds } = runtime.eventLoopDelay;
  const lag = "How late the event loop came to what was due in the last 30 to 60 s";
  return [
    gauge("nodejs_eventloop_lag_p50_seconds", `${lag}: median.`, medianSeconds),
    gauge("nodejs_eventloop_lag_p99_seconds", `${lag}: 99th percentile.`, p99Seconds),
    gauge("nodejs_eventloop_lag_max_seconds", `${lag}: longest.`, maxSeconds),
    counter(
      "maintenance_log_dropped_log_lines_total",
      "Lines of the log that standard output did not take.",
      droppedLogLines,
    ),
    counter("process_cpu_seconds_total", "CPU time of all threads, user and system.", runtime.cpuSeconds),
    gauge("process_resident_memory_bytes", "Resident memory.", runtime.residentBytes),
    gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use.", runtime.heapUsedBytes),
    gauge("nodejs_heap_size_limit_bytes", "What the heap may grow to.", runtime.heapLimitBytes),
    gauge("nodejs_external_memory_bytes", "Buffers and the like beside the heap.", runtime.externalBytes),
  ];
};

const samplesOf = (value: number | readonly Sample[]): readonly Sample[] =>
  typeof value === "number" ? [{ value }] : value;

const gauge = (name: string, help: string, value: number | readonly Sample[]): Family => ({
  name,
  help,
  type: "gauge",
  samples: samplesOf(value),
});

const counter = (name: string, help: string, value: number | readonly Sample[]): Family => ({
  name,
  help,
  type: "counter",
  samples: samplesOf(value),
});
