/** What each metric says, in its `# HELP` line. */
export const meanings = {
  maintenance_log_build_info: "Always 1; the labels are the versions of the service and of Node.",
  process_start_time_seconds: "When the process started, since the epoch; a change means a restart.",
  maintenance_log_ready: "1 when /readyz is 200, else 0.",
  maintenance_log_check_ok: "1 or 0 for each check of /readyz.",
  http_requests_total:
    "Requests by the pattern of their path; status 499: the client left before the response.",
  http_request_duration_seconds: "Time from the header of a request to the end of its response.",
  http_responses_cut_total: "Responses cut off after their status, by the service or by the client.",
  http_requests_in_flight: "Requests that the service works on.",
  http_connections: "Open connections.",
  http_body_bytes: "Bytes of the bodies of requests under way.",
  http_response_bytes: "Bytes of responses that clients have not taken.",
  http_turned_away_total:
    "Requests, bodies and connections past a limit (503), and clients that were too slow.",
  maintenance_log_refusals_total:
    "Failed and throttled logins (401, 429), refused tokens (403, 401) and roles (403).",
  maintenance_log_certificate_end_seconds: "When the certificate in use ends, since the epoch.",
  maintenance_log_certificate_renewal_failed:
    "1 after a reload that could not use the files; the next start would fail.",
  maintenance_log_database_connections: "Connections to PostgreSQL.",
  maintenance_log_database_connections_limit: "Most connections to PostgreSQL.",
  maintenance_log_database_statements_waiting:
    "Statements that wait for a connection; above 0 for long, the database is too slow.",
  maintenance_log_password_hashes: "Password hashes that are computed or wait.",
  maintenance_log_trail_entries: "Entries of the trail that this process knows.",
  maintenance_log_trail_signed: "1 when the trail is signed, 0 without TRAIL_KEY.",
  maintenance_log_trail_checkpoint_entries: "Entries that the newest checkpoint covers.",
  maintenance_log_trail_checkpoint_age_seconds:
    "Age of the newest checkpoint; grows while nothing is written.",
  maintenance_log_trail_condition: "1 of the present condition, 0 of the others.",
  maintenance_log_trail_poll_age_seconds:
    "Time since the last poll of the database that succeeded; below 2 as a rule.",
  maintenance_log_trail_transaction_wait_seconds:
    "How long the trail has waited for an older transaction, for example a prepared one.",
  maintenance_log_trail_waiting_records: "Records that may have no number; 0 when the trail is whole.",
  nodejs_eventloop_lag_p50_seconds: "Median event-loop delay of the last minute; 0.001 is normal.",
  nodejs_eventloop_lag_p99_seconds: "99th percentile of the event-loop delay of the last minute.",
  nodejs_eventloop_lag_max_seconds: "Longest event-loop delay of the last minute.",
  maintenance_log_dropped_log_lines_total: "Log lines that could not be written to standard output.",
  process_cpu_seconds_total: "CPU time of all threads; the event loop uses at most 1 a second.",
  process_resident_memory_bytes: "Memory of the process.",
  nodejs_heap_size_used_bytes: "JavaScript heap in use.",
  nodejs_heap_size_limit_bytes: "Size of the JavaScript heap at which the process ends.",
  nodejs_external_memory_bytes: "Buffers beside the JavaScript heap.",
} as const;
