/** The code that keeps a promise, and the tests that hold it: files and folders, by paths or by names that are unique. */
export interface Evidence {
  readonly code: readonly string[];
  readonly tests: readonly string[];
}

/** By the beginning of the promise in SECURITY.md. docs/evidence.md is made of this and of planted-faults.ts. */
export const evidence: Readonly<Record<string, Evidence>> = {
  "Login is the only open route": {
    code: ["routes.ts", "guard.ts", "request-handler.ts"],
    tests: ["test/api/access.test.ts", "test/api/authentication.test.ts"],
  },
  "A token is accepted only if": {
    code: ["jose-tokens.ts", "sessions.ts"],
    tests: ["test/unit/adapters/jose-tokens.test.ts", "test/api/authentication.test.ts"],
  },
  "`SECRET_KEY` has at least": {
    code: ["values.ts", "config/settings.ts", "jose-tokens.ts"],
    tests: ["test/unit/config/settings.test.ts", "test/unit/adapters/jose-tokens.test.ts"],
  },
  "`sub` and `username` of an accepted token": {
    code: ["sessions.ts", "log-append.ts"],
    tests: ["test/api/authentication.test.ts", "test/contract/repositories.ts"],
  },
  "No employee grants a role above": {
    code: ["employees.ts", "employee-repository.ts"],
    tests: [
      "test/api/employees.test.ts",
      "test/api/authentication.test.ts",
      "role-race.test.ts",
      "test/contract/repositories.ts",
    ],
  },
  "One of two changes of an employee": {
    code: ["entity-tag.ts", "guard.ts", "request-handler.ts", "routes.ts", "employee-repository.ts"],
    tests: ["test/api/entity-tag.test.ts", "test/api/access.test.ts", "test/contract/repositories.ts"],
  },
  "The performer of a log is the caller": {
    code: ["routes.ts", "log-append.ts", "domain/maintenance-log.ts"],
    tests: ["test/api/maintenance-logs.test.ts"],
  },
  "`performedDate` is shown": {
    code: ["driver.ts", "packed-logs.ts", "sql/0003_maintenance_log.sql"],
    tests: [
      "test/postgres/repositories/time-zones.test.ts",
      "packed-logs.test.ts",
      "test/postgres/repositories/garbled-results.test.ts",
    ],
  },
  "A log whose asset or performer": {
    code: ["maintenance-log-repository.ts", "names.ts"],
    tests: ["gone-records.test.ts"],
  },
  "No statement updates, deletes or truncates": {
    code: ["sql/"],
    tests: ["test/postgres/schema/append-only.test.ts"],
  },
  "After `sql/freeze_schema.sql`": {
    code: ["sql/freeze_schema.sql"],
    tests: ["test/postgres/schema/append-only.test.ts"],
  },
  "The database enforces the same rules": {
    code: ["sql/"],
    tests: ["test/postgres/schema/append-only.test.ts", "test/postgres/schema/declared-records.test.ts"],
  },
  "A restore gives a new database": {
    code: ["deploy/restore", "restored.ts", "restoring.ts", "restore-store.ts"],
    tests: [
      "test/program/restore.test.ts",
      "test/program/restore-dumps.test.ts",
      "test/program/restore-exchange.test.ts",
      "test/release/restore-killed.test.ts",
    ],
  },
  "A database whose encoding is not UTF8": {
    code: ["promises.ts"],
    tests: ["test/postgres/schema/encoding.test.ts"],
  },
  "What protects the records": {
    code: ["protection.ts", "sql/protection.ndjson", "migrations.ts", "promises.ts", "commands/service.ts"],
    tests: [
      "test/postgres/schema/protection.test.ts",
      "test/postgres/schema/migrations.test.ts",
      "test/postgres/schema/promises.test.ts",
      "test/program/restored-database.test.ts",
    ],
  },
  "A database that has lost the records": {
    code: [
      "promises.ts",
      "check.ts",
      "remembered.ts",
      "command-database.ts",
      "commands/service.ts",
      "migrate.ts",
      "deploy/backup",
      "deploy/maintenance-log-backup.service",
      "deploy/maintenance-log-migrate.service",
    ],
    tests: [
      "test/program/backup.test.ts",
      "test/program/restored-database.test.ts",
      "test/program/remembered-trail.test.ts",
      "test/unit/application/trail/remembered.test.ts",
      "test/postgres/schema/promises.test.ts",
    ],
  },
  "No parameter of the server": {
    code: ["session.ts", "promises.ts"],
    tests: ["test/postgres/schema/promises.test.ts"],
  },
  "With `sslmode=verify-full`": {
    code: ["encryption.ts", "dial.ts"],
    tests: ["test/postgres/connection/tls.test.ts"],
  },
  "A temporary table with the name": {
    code: ["sql/"],
    tests: ["test/postgres/schema/promises.test.ts"],
  },
  "The service's database role has only": {
    code: ["sql/service_role.sql", "sql/protection.ndjson", "rights.ts"],
    tests: [
      "test/postgres/schema/protection.test.ts",
      "test/postgres/schema/append-only.test.ts",
      "test/program/check.test.ts",
      "test/program/main.test.ts",
    ],
  },
  "The response to a failed login": {
    code: ["authentication.ts", "argon2-password-hasher.ts"],
    tests: ["test/api/authentication.test.ts", "test/unit/adapters/argon2-password-hasher.test.ts"],
  },
  "Of two concurrent password changes": {
    code: ["employee-repository.ts", "sql/0001_employee.sql", "domain/employee.ts"],
    tests: ["test/contract/repositories.ts", "test/unit/domain/employee.test.ts"],
  },
  "A password is stored as": {
    code: ["argon2-password-hasher.ts"],
    tests: ["test/unit/adapters/argon2-password-hasher.test.ts"],
  },
  "A [revoked]": {
    code: ["sql/0001_employee.sql", "sessions.ts", "employees.ts"],
    tests: [
      "test/api/revocation.test.ts",
      "append-only.test.ts",
      "test/unit/application/sessions.test.ts",
      "test/contract/repositories.ts",
    ],
  },
  "Access is checked again": {
    code: ["request-handler.ts", "write-check.ts", "log-append.ts"],
    tests: [
      "test/api/revoked-meanwhile.test.ts",
      "test/api/races.test.ts",
      "test/contract/repositories.ts",
      "test/lab/faults",
    ],
  },
  "Guessing the password of one email": {
    code: ["login-throttle.ts", "client-address.ts", "authentication.ts", "domain/employee.ts"],
    tests: [
      "test/unit/application/login-throttle.test.ts",
      "test/api/throttling.test.ts",
      "test/unit/adapters/http/request/client-address.test.ts",
    ],
  },
  "Hashing uses at most two threads": {
    code: ["argon2-password-hasher.ts", "fair-queue.ts", "login-throttle.ts", "authentication.ts"],
    tests: [
      "test/unit/application/fair-queue.test.ts",
      "test/unit/adapters/argon2-password-hasher.test.ts",
      "test/api/throttling.test.ts",
    ],
  },
  "An `Idempotency-Key` writes one log": {
    code: ["sql/0003_maintenance_log.sql", "log-append.ts"],
    tests: ["test/contract/repositories.ts", "test/postgres/repositories/replay.test.ts", "test/lab/faults"],
  },
  "A key that is sent again": {
    code: ["application/maintenance-logs.ts", "domain/maintenance-log.ts"],
    tests: ["test/api/maintenance-logs.test.ts", "test/contract/repositories.ts"],
  },
  "An acknowledged log is stored once": {
    code: [
      "pool.ts",
      "connection/database.ts",
      "link.ts",
      "dial.ts",
      "driver.ts",
      "batch.ts",
      "confirm.ts",
      "log-append.ts",
      "promises.ts",
    ],
    tests: [
      "test/api/limits.test.ts",
      "test/unit/adapters/postgres/batching/batch.test.ts",
      "test/unit/adapters/postgres/connection/link.test.ts",
      "test/postgres/repositories/garbled-results.test.ts",
      "test/unit/adapters/postgres/connection/pool.test.ts",
      "test/unit/adapters/postgres/connection/pool-simulation.test.ts",
      "test/postgres/connection/standby-wait.test.ts",
      "test/postgres/repositories/replay.test.ts",
      "test/postgres/schema/promises.test.ts",
      "test/lab/faults",
    ],
  },
  "No bytes from a client crash": {
    code: [
      "server.ts",
      "limits.ts",
      "budget.ts",
      "http-connection.ts",
      "request-handler.ts",
      "request-head.ts",
      "refusal.ts",
    ],
    tests: [
      "test/api/limits.test.ts",
      "test/api/raw-requests.test.ts",
      "test/api/pipelining.test.ts",
      "test/api/bodies.test.ts",
      "test/api/overload.test.ts",
      "test/api/held-memory.test.ts",
      "test/api/slow-clients.test.ts",
      "test/unit/adapters/http/server/edge-simulation.test.ts",
      "test/release/fuzz.test.ts",
      "test/lab/faults",
    ],
  },
  "At most 10,000 connections": {
    code: ["limits.ts", "listener.ts"],
    tests: [
      "test/api/limits.test.ts",
      "test/api/slow-clients.test.ts",
      "test/api/overload.test.ts",
      "test/api/lists.test.ts",
    ],
  },
  "With a certificate the service speaks": {
    code: ["listener.ts", "limits.ts", "tls-identity.ts", "served-identity.ts"],
    tests: [
      "test/api/limits.test.ts",
      "test/api/tls.test.ts",
      "test/program/serve-tls.test.ts",
      "test/unit/served-identity.test.ts",
    ],
  },
  "Every response carries": {
    code: ["exchange.ts", "listener.ts", "cors.ts", "server.ts"],
    tests: [
      "test/api/protocol.test.ts",
      "test/api/tls.test.ts",
      "test/unit/adapters/http/request/cors.test.ts",
    ],
  },
  "A stalled or dead reader": {
    code: ["log-output.ts"],
    tests: ["test/unit/adapters/log-output.test.ts", "test/lab/faults"],
  },
  "An unexpected error is logged": {
    code: ["serve.ts"],
    tests: ["test/program/main.test.ts", "test/program/stopping.test.ts"],
  },
  "The operations listener is on loopback": {
    code: ["src/adapters/ops/", "config/settings.ts"],
    tests: [
      "test/unit/adapters/ops/",
      "test/unit/config/settings.test.ts",
      "test/program/operations.test.ts",
      "test/release/status-page-browser.test.ts",
    ],
  },
  "Error responses contain no stack trace": {
    code: ["status-of-error.ts", "connection/sqlstate.ts", "domain/error.ts", "refusal.ts"],
    tests: [
      "test/api/failures.test.ts",
      "test/unit/adapters/postgres/connection/sqlstate.test.ts",
      "test/api/request-head.test.ts",
    ],
  },
  "No secret is printed or logged": {
    code: ["src/config/", "request-handler.ts", "request-log.ts"],
    tests: [
      "test/unit/config/settings.test.ts",
      "test/api/failures.test.ts",
      "test/api/request-log.test.ts",
      "test/program/main.test.ts",
    ],
  },
  "Responses contain only the fields": {
    code: ["docs/openapi.json", "result.ts", "employee-repository.ts"],
    tests: [
      "test/api/employees.test.ts",
      "test/api/maintenance-logs.test.ts",
      "test/support/api-document.ts",
    ],
  },
  "A client of HTTP/1.1 can always tell": {
    code: ["response.ts", "request-handler.ts", "exchange.ts", "http-connection.ts"],
    tests: [
      "test/api/lists.test.ts",
      "test/api/trail.test.ts",
      "test/api/bodies.test.ts",
      "test/api/pipelining.test.ts",
      "test/unit/adapters/http/request/response.test.ts",
    ],
  },
  "One slow reader, and all of them": {
    code: ["response.ts", "budget.ts", "limits.ts", "pages.ts", "publishing.ts", "records.ts"],
    tests: [
      "test/api/limits.test.ts",
      "test/api/slow-clients.test.ts",
      "test/api/lists.test.ts",
      "test/unit/application/trail/publishing.test.ts",
      "test/postgres/trail/records.test.ts",
      "test/lab/faults",
    ],
  },
  "With any filters, the cost of a list": {
    code: ["pages.ts", "log-statements.ts", "active-logs.ts"],
    tests: ["test/unit/adapters/postgres/batching/pages.test.ts", "test/postgres/repositories/plans.test.ts"],
  },
  "A walk over a list": {
    code: ["log-statements.ts", "pages.ts", "log-page.ts"],
    tests: [
      "test/api/log-pages.test.ts",
      "test/unit/adapters/postgres/batching/pages.test.ts",
      "test/contract/repositories.ts",
    ],
  },
  "A body has at most 64 KiB": {
    code: ["body.ts", "route.ts", "routes.ts", "request-head.ts", "listener.ts", "limits.ts"],
    tests: ["test/api/limits.test.ts", "test/api/protocol.test.ts", "test/api/raw-requests.test.ts"],
  },
  "All responses that clients have not taken": {
    code: ["budget.ts", "exchange.ts", "response.ts", "http-connection.ts", "limits.ts"],
    tests: [
      "test/api/limits.test.ts",
      "test/api/bodies.test.ts",
      "test/api/unread-responses.test.ts",
      "test/api/slow-clients.test.ts",
      "test/api/held-memory.test.ts",
      "test/unit/adapters/http/server/edge-simulation.test.ts",
    ],
  },
  "An owner is an employee": {
    code: ["budget.ts", "exchange.ts", "response.ts"],
    tests: [
      "test/api/unread-responses.test.ts",
      "test/api/slow-clients.test.ts",
      "test/api/overload.test.ts",
      "test/unit/adapters/http/server/edge-simulation.test.ts",
    ],
  },
  "A stop takes no new connections": {
    code: ["draining.ts", "limits.ts"],
    tests: [
      "test/api/limits.test.ts",
      "test/api/draining.test.ts",
      "test/api/tls.test.ts",
      "test/program/listening.test.ts",
    ],
  },
  "All bodies under way together": {
    code: ["budget.ts", "exchange.ts", "limits.ts", "body.ts", "request-handler.ts"],
    tests: ["test/api/limits.test.ts", "test/api/bodies.test.ts", "test/lab/faults"],
  },
  "A page of a list has at most 256 KiB": {
    code: ["pages.ts", "log-statements.ts", "active-logs.ts"],
    tests: ["log-lists.test.ts", "plans.test.ts"],
  },
  "Text from a client never becomes SQL": {
    code: ["statement.ts", "src/adapters/postgres/repositories/"],
    tests: [
      "test/unit/adapters/postgres/connection/statement.test.ts",
      "test/unit/architecture.test.ts",
      "test/api/authentication.test.ts",
    ],
  },
  "`serve` never runs on a schema": {
    code: ["migrations.ts"],
    tests: ["test/program/main.test.ts", "test/postgres/schema/migrations.test.ts"],
  },
  "Production uses three packages": {
    code: ["package.json", "package-lock.json", "Makefile", "deploy/install"],
    tests: ["test/unit/architecture.test.ts"],
  },
  "Every committed log, and every change": {
    code: ["sql/", "numbering.ts", "settling.ts"],
    tests: [
      "append-only.test.ts",
      "test/contract/trail.ts",
      "test/unit/application/trail/settling.test.ts",
      "test/unit/application/trail/numbering.test.ts",
      "test/lab/faults",
    ],
  },
  "The service signs only a trail": {
    code: ["signing.ts", "checkpoints.ts", "tree.ts", "trail-state-file.ts"],
    tests: [
      "test/unit/application/trail/signing.test.ts",
      "replay.test.ts",
      "test/unit/adapters/trail-state-file.test.ts",
      "test/program/verify-database.test.ts",
    ],
  },
  "A proof or a tile": {
    code: ["publishing.ts"],
    tests: ["test/unit/application/trail/publishing.test.ts", "test/api/trail.test.ts"],
  },
  "`accept-trail` leaves": {
    code: ["signing.ts", "src/domain/trail/acceptance.ts", "checkpoints.ts", "accept-trail.ts"],
    tests: [
      "test/program/verify-database.test.ts",
      "test/unit/application/trail/signing.test.ts",
      "test/unit/application/trail/remembered.test.ts",
    ],
  },
  "`verify --database` names every log": {
    code: [
      "src/application/trail/store-verification.ts",
      "verify-database.ts",
      "comparisons.ts",
      "trail/entries.ts",
    ],
    tests: ["tampered-fields.test.ts", "test/program/verify-database.test.ts"],
  },
  "`verify` and `audit` follow": {
    code: [
      "src/domain/trail/",
      "application/trail/audit.ts",
      "commands/audit.ts",
      "trail-client.ts",
      "verify-entries.ts",
      "verify-proof.ts",
    ],
    tests: [
      "test/unit/domain/trail/",
      "test/program/verify.test.ts",
      "test/program/audit.test.ts",
      "audit-kept.test.ts",
      "cosignature.test.ts",
      "test/docs/trail-docs.test.ts",
      "test/docs/verify-page.test.ts",
    ],
  },
};
