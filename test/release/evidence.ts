/**
 * The tests that hold each promise, by the beginning of the promise in SECURITY.md: files and folders below test/, without their
 * `.test.ts`. The code that keeps the promise are the files that planted-faults.ts changes. docs/evidence.md is made of both.
 */
export const testsOfPromises: Readonly<Record<string, string>> = {
  "Login is the only open route": "api/access api/authentication",
  "A token is accepted only if": "unit/adapters/jose-tokens api/authentication",
  "`SECRET_KEY` has at least": "unit/config/settings unit/adapters/jose-tokens",
  "`sub` and `username` of an accepted token": "api/authentication contract/repositories.ts",
  "No employee grants a role above":
    "api/employees api/authentication postgres/repositories/role-race contract/repositories.ts",
  "One of two changes of an employee": "api/entity-tag api/access contract/repositories.ts",
  "The performer of a log is the caller": "api/maintenance-logs",
  "`performedDate` is shown":
    "postgres/repositories/time-zones unit/adapters/postgres/repositories/packed-logs postgres/repositories/garbled-results",
  "A log whose asset or performer": "postgres/repositories/gone-records",
  "No statement updates, deletes or truncates": "postgres/schema/append-only",
  "After `sql/freeze_schema.sql`": "postgres/schema/append-only",
  "The database enforces the same rules": "postgres/schema/append-only postgres/schema/declared-records",
  "A restore gives a new database":
    "program/restore program/restore-dumps program/restore-exchange release/restore-killed",
  "A database whose encoding is not UTF8": "postgres/schema/encoding",
  "What protects the records":
    "postgres/schema/protection postgres/schema/migrations postgres/schema/promises program/restored-database",
  "A database that has lost the records":
    "program/backup program/restored-database program/remembered-trail unit/application/trail/remembered postgres/schema/promises",
  "No parameter of the server": "postgres/schema/promises",
  "With `sslmode=verify-full`": "postgres/connection/tls",
  "A temporary table with the name": "postgres/schema/promises",
  "The service's database role has only":
    "postgres/schema/protection postgres/schema/append-only program/check program/main",
  "The response to a failed login": "api/authentication unit/adapters/argon2-password-hasher",
  "Of two concurrent password changes": "contract/repositories.ts unit/domain/employee",
  "A password is stored as": "unit/adapters/argon2-password-hasher",
  "A [revoked]":
    "api/revocation postgres/schema/append-only unit/application/sessions contract/repositories.ts",
  "Access is checked again": "api/revoked-meanwhile api/races contract/repositories.ts lab/faults",
  "Guessing the password of one email":
    "unit/application/login-throttle api/throttling unit/adapters/http/request/client-address",
  "Hashing uses at most two threads":
    "unit/application/fair-queue unit/adapters/argon2-password-hasher api/throttling",
  "An `Idempotency-Key` writes one log": "contract/repositories.ts postgres/repositories/replay lab/faults",
  "A key that is sent again": "api/maintenance-logs contract/repositories.ts",
  "An acknowledged log is stored once":
    "api/limits unit/adapters/postgres/batching/batch unit/adapters/postgres/connection/link postgres/repositories/garbled-results unit/adapters/postgres/connection/pool unit/adapters/postgres/connection/pool-simulation postgres/connection/standby-wait postgres/repositories/replay postgres/schema/promises lab/faults",
  "No bytes from a client crash":
    "api/limits api/raw-requests api/pipelining api/bodies api/overload api/held-memory api/slow-clients unit/adapters/http/server/edge-simulation release/fuzz lab/faults",
  "At most 10,000 connections": "api/limits api/slow-clients api/overload api/lists",
  "With a certificate the service speaks": "api/limits api/tls program/serve-tls unit/served-identity",
  "Every response carries": "api/protocol api/tls unit/adapters/http/request/cors",
  "A stalled or dead reader": "unit/adapters/log-output lab/faults",
  "An unexpected error is logged": "program/main program/stopping",
  "The operations listener is on loopback":
    "unit/adapters/ops unit/config/settings program/operations release/status-page-browser",
  "Error responses contain no stack trace":
    "api/failures unit/adapters/postgres/connection/sqlstate api/request-head",
  "No secret is printed or logged": "unit/config/settings api/failures api/request-log program/main",
  "Responses contain only the fields": "api/employees api/maintenance-logs support/api-document.ts",
  "A client of HTTP/1.1 can always tell":
    "api/lists api/trail api/bodies api/pipelining unit/adapters/http/request/response",
  "One slow reader, and all of them":
    "api/limits api/slow-clients api/lists unit/application/trail/publishing postgres/trail/records lab/faults",
  "With any filters, the cost of a list": "unit/adapters/postgres/batching/pages postgres/repositories/plans",
  "A walk over a list": "api/log-pages unit/adapters/postgres/batching/pages contract/repositories.ts",
  "A body has at most 64 KiB": "api/limits api/protocol api/raw-requests",
  "All responses that clients have not taken":
    "api/limits api/bodies api/unread-responses api/slow-clients api/held-memory unit/adapters/http/server/edge-simulation",
  "An employee, or an address":
    "unit/adapters/http/request/budget api/unread-responses api/slow-clients api/overload unit/adapters/http/server/edge-simulation",
  "A stop takes no new connections": "api/limits api/draining api/tls program/listening",
  "All bodies under way together": "api/limits api/bodies lab/faults",
  "A page of a list has at most 256 KiB": "postgres/repositories/log-lists postgres/repositories/plans",
  "Text from a client never becomes SQL":
    "unit/adapters/postgres/connection/statement unit/architecture api/authentication",
  "`serve` never runs on a schema": "program/main postgres/schema/migrations",
  "Production uses three packages": "unit/architecture",
  "Every committed log, and every change":
    "postgres/schema/append-only contract/trail.ts unit/application/trail/settling unit/application/trail/numbering lab/faults",
  "The service signs only a trail":
    "unit/application/trail/signing postgres/repositories/replay unit/adapters/trail-state-file program/verify-database",
  "A proof or a tile": "unit/application/trail/publishing api/trail",
  "`accept-trail` leaves":
    "program/verify-database unit/application/trail/signing unit/application/trail/remembered",
  "`verify --database` names every log": "postgres/trail/tampered-fields program/verify-database",
  "`verify` and `audit` follow":
    "unit/domain/trail program/verify program/audit program/audit-kept unit/domain/trail/cosignature docs/trail-docs docs/verify-page",
};
