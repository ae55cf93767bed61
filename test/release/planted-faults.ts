/**
 * The path of a file, or its name if no other file has it; a text that occurs once in it, and what a careless hand could make of that. Where
 * the tests of the row take long: the name of one that notices it, which is run before all.
 */
export type PlantedFault = readonly [file: string, text: string, replacement: string, soonest?: string];

/** By the beginning of the promise that each one breaks: one or more for each half of it. */
export const plantedFaults: Readonly<Record<string, readonly PlantedFault[]>> = {
  "Login is the only open route": [
    [
      "routes.ts",
      'route("GET", "/api/v1/assets", "AUTHENTICATED",',
      'route("GET", "/api/v1/assets", "NONE",',
    ],
    ["guard.ts", "!mayAct(caller.role, role)", "false"],
    [
      "request-handler.ts",
      "    await identifyCaller(exchange);\n    if (found instanceof HttpError) throw found;",
      "    if (found instanceof HttpError) throw found;\n    await identifyCaller(exchange);",
    ],
    [
      "routes.ts",
      'route("PATCH", "/api/v1/assets/{id}", "MANAGER"',
      'route("PATCH", "/api/v1/assets/{id}", "TECHNICIAN"',
    ],
    ["guard.ts", "ownIdOnly === true && id", "false && id"],
  ],
  "A token is accepted only if": [
    ["jose-tokens.ts", "algorithms: [algorithm], issuer", "issuer"],
    ["jose-tokens.ts", "issuer, requiredClaims", "requiredClaims"],
    ["jose-tokens.ts", ' requiredClaims: ["exp"],', ""],
    ["jose-tokens.ts", '      if (!compact.test(token)) throw tokenNotValid("not a JWT");\n', ""],
    ["sessions.ts", "claims.expiresAt * 1_000", "claims.expiresAt * 1_000_000"],
  ],
  "`sub` and `username` of an accepted token": [
    ["sessions.ts", "employeeId !== undefined && employeeId !== employee.id", "employeeId === -1"],
    ["log-append.ts", ' and employee.email_folded = "emailFolded"', ""],
  ],
  "No employee grants a role above": [
    [
      "employee-repository.ts",
      "and role = any (",
      'and "formerRole" = any (',
      "a change that waits for a promotion is refused by the new role",
    ],
    [
      "employees.ts",
      "      refuseRoleAbove(caller, registration.role);\n",
      "",
      "nobody grants a role above their own",
    ],
    ["employees.ts", "if (changes.role !== undefined) refuseRoleAbove(caller, changes.role);", ""],
    ["employees.ts", "rolesUpTo(caller.role), caller", 'rolesUpTo("ADMIN"), caller'],
  ],
  "One of two changes of an employee": [
    ["employee-repository.ts", "}) = (", "}) is distinct from ("],
    [
      "employee-repository.ts",
      "expected === undefined) return sql`true`",
      "expected !== undefined) return sql`true`",
    ],
    ["guard.ts", "namesTag || ", ""],
    ["guard.ts", '(ifNoneMatch === "*" && !isMade)', 'ifNoneMatch === "*"'],
    ["guard.ts", 'if (method === "GET" || role', "if (role"],
    ["request-handler.ts", "    checkPreconditionsWithoutTag(route, head);\n", ""],
    ["routes.ts", "setActive(caller, id, true, isExpected)", "setActive(caller, id, true)"],
  ],
  "The performer of a log is the caller": [
    ["routes.ts", "maintenanceLogs.write(caller,", "maintenanceLogs.write({ ...caller, employeeId: 1 },"],
    ["log-append.ts", "asset_id, employee_id, key", "asset_id, (select max(id) from employee), key"],
  ],
  "No statement updates, deletes or truncates": [
    [
      "0003_maintenance_log.sql",
      "before update or delete or truncate on maintenance_log",
      "before update or delete on maintenance_log",
    ],
    ["0003_maintenance_log.sql", "enable always trigger append_only", "enable trigger append_only"],
    [
      "0001_employee.sql",
      "  enable always trigger employee_never_deleted;",
      "  enable trigger employee_never_deleted;",
    ],
    ["0002_asset.sql", "before delete or truncate on asset", "before truncate on asset"],
  ],
  "After `sql/freeze_schema.sql`": [
    [
      "freeze_schema.sql",
      "on ddl_command_start execute",
      "on ddl_command_start when tag in ('ALTER TABLE', 'DROP TABLE', 'CREATE TABLE', 'DROP TRIGGER', 'CREATE RULE', 'CREATE FUNCTION') execute",
    ],
    ["freeze_schema.sql", "alter event trigger schema_frozen enable always;", ""],
  ],
  "The database enforces the same rules": [
    [
      "0001_employee.sql",
      "char_length(first_name) between 2 and 50",
      "char_length(first_name) between 2 and 51",
    ],
    ["0001_employee.sql", "role in ('TECHNICIAN', 'MANAGER', 'ADMIN')", "role <> ''"],
    ["0001_employee.sql", "password_hash      text not null", "password_hash      text"],
    [
      "0003_maintenance_log.sql",
      "char_length(idempotency_key) between 1 and 255",
      "char_length(idempotency_key) > 0",
    ],
    ["0003_maintenance_log.sql", " and performed_date < '10000-01-01'", ""],
    ["0003_maintenance_log.sql", "between 1 and 255 and idempotency_key ~ '^[!-~]+$'", "between 1 and 255"],
  ],
  "A database whose encoding is not UTF8": [
    [
      "promises.ts",
      "where current_setting('server_encoding') <> 'UTF8'",
      "where current_setting('server_encoding') = 'SQL_ASCII'",
    ],
    ["promises.ts", 'isDurable || name !== "durability"', 'isDurable !== (name === "encoding")'],
  ],
  "What protects the records": [
    ["protection.ts", "when 'O' then 'on'", "when 'O' then 'always'"],
    [
      "migrations.ts",
      "const restored = await putBack(database, protection, run);",
      "const restored: string[] = [];",
    ],
    [
      "promises.ts",
      'prevents: "start",\n    faults: sql`select fault',
      'prevents: "nothing",\n    faults: sql`select fault',
    ],
    [
      "protection.ts",
      ",\n    case when exists (select from pg_trigger where tgconstraint = pg_constraint.oid and tgenabled = 'D') then ' disabled' end)",
      ")",
    ],
    ["migrations.ts", "if (weaker !== undefined) throw", "if (weaker === null) throw"],
    [
      "protection.ts",
      "await change(text);",
      "await query({ text, values: [] } as never);",
      "is put back by each of two migrates at once, of which neither fails",
    ],
    ["protection.ts", "pass < 2", "pass < 1"],
    [
      "sql/protection.ndjson",
      "CHECK (char_length(description) <= 2000)",
      "CHECK (char_length(description) <= 4000)",
    ],
  ],
  "A restore gives a new database": [
    [
      "deploy/restore",
      " --no-privileges",
      "",
      "needs no role and no tablespace of the old machine, and names the rights that it does not restore; freezes the schema as it was",
    ],
    [
      "deploy/restore",
      " --no-tablespaces",
      "",
      "needs no role and no tablespace of the old machine, and names the rights that it does not restore; freezes the schema as it was",
    ],
    [
      "restored.ts",
      "if (total > mostLost)",
      "if (mostLost === -1)",
      "changes nothing where records are lost, and with their number exchanges the names: tokens end, ids go on, each service signs, also of another machine",
    ],
    [
      "restore-store.ts",
      "where pg_catalog.md5(line) = hash`",
      "where true`",
      "counts records and not entries: what waits for its number or differs, in place of state files",
    ],
    [
      "restoring.ts",
      "lost.entry = Math.max(lost.entry, isAhead ? head.size - tree.head.size : head.size);",
      "lost.entry = Math.max(lost.entry, head.size - tree.head.size);",
      "says what a service remembers of another history than both databases",
    ],
    [
      "restoring.ts",
      "await restored.trail.checkpoints.accept(note, ",
      "await restored.trail.checkpoints.add(note && ",
      "changes nothing where records are lost, and with their number exchanges the names: tokens end, ids go on, each service signs, also of another machine",
    ],
    [
      "restore-store.ts",
      " + last > 0`",
      " + last < 0`",
      "changes nothing where records are lost, and with their number exchanges the names: tokens end, ids go on, each service signs, also of another machine",
    ],
    [
      "deploy/restore",
      '[ ! -s "$run/units" ] || {',
      "true || {",
      "ends what a killed restore has left, one restore at a time, and takes the dump with the last name alone",
    ],
    [
      "deploy/restore",
      '[ -z "$others" ] ||',
      "true ||",
      "leaves everything as it was where a service of another machine works on",
    ],
    [
      "deploy/restore",
      'xargs -r systemctl stop <"$run/units"\n',
      "",
      "changes nothing where records are lost, and with their number exchanges the names: tokens end, ids go on, each service signs, also of another machine",
    ],
  ],
  "A database that has lost the records": [
    ["promises.ts", 'prevents: "start",\n    faults: emptied', 'prevents: "nothing",\n    faults: emptied'],
    [
      "check.ts",
      "    refuseToStart(findings);\n",
      "",
      "and had frozen its schema has lost its records: serve and a backup refuse it, and check says what is missing",
    ],
    ["promises.ts", "[...subjects, ...entryKinds", "[...entryKinds"],
    ["promises.ts", ", ...entryKinds.map(kind => ({ kind, table: tableOf[kind] }))]", "]"],
    ["remembered.ts", "if (await records.isEmpty())", "if (remembered.size < 0)"],
    [
      "commands/service.ts",
      "      await compareStateFile(database.requests, trailStateFile).catch(rethrowUnlessTrailError);\n",
      "",
      "and without records is refused by serve and a backup, and check says so",
    ],
    [
      "migrate.ts",
      "    await compareStateFile(database, settings.trailStateFile).catch(rethrowUnlessTrailError);\n",
      "",
      "and without tables is refused by migrate, which makes none",
    ],
    [
      "deploy/maintenance-log-migrate.service",
      "Environment=TRAIL_STATE_FILE=%S/maintenance-log/maintenance-log.checkpoint\n",
      "",
      "and without tables is refused by migrate, which makes none",
    ],
    [
      "check.ts",
      "if (faults.length > 0) throw new CommandError(exitCodes.badData",
      "if (faults.length > 9) throw new CommandError(exitCodes.badData",
      "removes none while the newest record is gone",
    ],
    ["deploy/backup", '*) exit "$checked" ;;', "*) ;;", "makes none while all logs are gone"],
    [
      "deploy/backup",
      'if [ "$checked" != 0 ]; then',
      "if false; then",
      "removes none while the newest record is gone",
    ],
    [
      "deploy/maintenance-log-backup.service",
      "Environment=TRAIL_STATE_FILE=%S/maintenance-log/maintenance-log.checkpoint\n",
      "",
      "removes none while the state file remembers more entries than there are",
    ],
  ],
  "No parameter of the server": [
    ["session.ts", '  standard_conforming_strings: "on",\n', ""],
    ["session.ts", "default_transaction_isolation: \"'read committed'\",", ""],
    ["session.ts", "...(mayLoseCommits !== true && commitPinned)", "...{}"],
  ],
  "A temporary table with the name": [
    ["0001_employee.sql", "if not exists (", "if false and not exists ("],
    ["0002_asset.sql", "if not exists (", "if false and not exists ("],
  ],
  "The service's database role has only": [
    [
      "rights.ts",
      "{select,insert,update,delete,truncate}",
      "{select,insert,update,delete}",
      "knows every right that the service role is granted, and no others",
    ],
    ["service_role.sql", "grant select on maintenance_log to", "grant select, update on maintenance_log to"],
    [
      "service_role.sql",
      "revoke insert on maintenance_log from maintenance_log_service;",
      "grant insert on maintenance_log to maintenance_log_service;",
    ],
    ["service_role.sql", "grant update (active, asked_by) on asset", "grant update on asset"],
    [
      "service_role.sql",
      "grant select on schema_migration to",
      "grant select, references on schema_migration to",
    ],
  ],
  "The response to a failed login": [
    ["authentication.ts", " && mayPass(account)", ""],
    [
      "argon2-password-hasher.ts",
      "isAffordable(stored) ? stored : decoy",
      'isAffordable(stored) ? stored : stored === undefined ? "" : decoy',
    ],
  ],
  "Of two concurrent password changes": [
    [
      "employee-repository.ts",
      "and password_hash = ",
      "and '' <> ",
      "of many replacements of one password hash exactly one succeeds",
    ],
    [
      "0001_employee.sql",
      "constraint employee_email_key unique",
      "",
      "an email whose domain is written as browsers send it is the one in Unicode",
    ],
    [
      "domain/employee.ts",
      "fold(domainToUnicode(domain)) || domain",
      "domain",
      "is the same email with its domain in Unicode and as browsers send it",
    ],
    [
      "domain/employee.ts",
      'text.toLowerCase().normalize("NFC")',
      'text.normalize("NFC").toLowerCase()',
      "has one form for each character, in either part, whatever its case and Unicode form",
    ],
  ],
  "A password is stored as": [
    ["argon2-password-hasher.ts", "memoryCost: 19_456", "memoryCost: 9_456"],
    ["argon2-password-hasher.ts", "{ algorithm: argon2id, ...cost }", "{ algorithm: 0, ...cost }"],
    ["argon2-password-hasher.ts", "memory <= cost.memoryCost && ", ""],
    ["argon2-password-hasher.ts", "time <= cost.timeCost && ", ""],
    [
      "argon2-password-hasher.ts",
      "memory <= cost.memoryCost && time <= cost.timeCost",
      "memory * time <= cost.memoryCost * cost.timeCost",
    ],
  ],
  "A [revoked]": [
    ["sessions.ts", "const recentMilliseconds = 500;", "const recentMilliseconds = 5_000;"],
    ["sessions.ts", "        sessions.clear();\n", ""],
    ["sessions.ts", "!hasSurvived && issuedAt < tokensValidFrom", "false"],
    [
      "employees.ts",
      "await forgetAfter(employees.setActive(id, active, caller, expected));",
      "await employees.setActive(id, active, caller, expected);",
    ],
    ["0001_employee.sql", "    or (old.active and not new.active)\n", ""],
    [
      "0001_employee.sql",
      "floor(extract(epoch from now())) + 1",
      "floor(extract(epoch from now()))",
      "tokens are revoked from the next second on, also where ordinary triggers are switched off",
    ],
  ],
  "Access is checked again": [
    [
      "request-handler.ts",
      "const hasWaited = !share.hasPlace;",
      'const hasWaited = !share.hasPlace && request.headers["content-length"] !== undefined;',
    ],
    ["request-handler.ts", "const hasWaited = !share.hasPlace;", "const hasWaited = false;"],
    [
      "write-check.ts",
      "if (by.employeeId === target) return isLiveOf(by);",
      "if (by.employeeId > 0) return sql`true`;",
      "of many replacements of one password hash exactly one succeeds",
    ],
    [
      "log-append.ts",
      "case when a.id is not null and live.live then",
      "case when a.id is not null then",
      "is refused, and nothing written, when the caller was deactivated",
    ],
  ],
  "Guessing the password of one email": [
    ["login-throttle.ts", "const memoryMilliseconds = 3_600_000;", "const memoryMilliseconds = 60_000;"],
    [
      "login-throttle.ts",
      "const longestDelayMilliseconds = 15 * 60_000;",
      "const longestDelayMilliseconds = 60_000;",
    ],
    ["login-throttle.ts", "const leakMilliseconds = 10_000;", "const leakMilliseconds = 1_000;"],
    ["login-throttle.ts", "loggedIn.has(pair)", "failed.has(pair)"],
    ["domain/employee.ts", "fold(sent.trim())", "fold(sent)"],
    ["authentication.ts", "    throttle.countFailure(email, address);\n", ""],
    ["client-address.ts", ".slice(0, 4)", ".slice(0, 8)"],
    [
      "authentication.ts",
      "    refuseThrottled();\n    const account",
      "    const account",
      "guessing the old password with somebody's token is slowed down like the login before it costs a verification, and logged",
    ],
    ["login-throttle.ts", "wait > 0 ? 0 : leakMilliseconds", "leakMilliseconds"],
    [
      "login-throttle.ts",
      "elapsed() - lastAt < memoryMilliseconds",
      "elapsed() - lastAt < 2 * memoryMilliseconds",
    ],
  ],
  "Hashing uses at most two threads": [
    ["argon2-password-hasher.ts", "waiting: 200 }", "waiting: 2_000_000 }"],
    ["argon2-password-hasher.ts", "Math.min(2, availableParallelism())", "availableParallelism()"],
    ["fair-queue.ts", "rank(b) >= rank(a) ? b : a", "a"],
    [
      "login-throttle.ts",
      'loggedIn.has(pairOf(email, address)) ? "known" : "new"',
      '"new"',
      "of a flood of many emails from one address keeps nobody at another out, and stops at the free failures",
    ],
    [
      "authentication.ts",
      "line, refuseThrottled)",
      "line, () => {})",
      "of a flood of many emails from one address keeps nobody at another out, and stops at the free failures",
    ],
  ],
  "An `Idempotency-Key` writes one log": [
    [
      "log-append.ts",
      "on conflict (performed_by_employee_id, idempotency_key) where idempotency_key is not null do nothing",
      "",
    ],
    [
      "0003_maintenance_log.sql",
      "create unique index maintenance_log_idempotency_key",
      "create index maintenance_log_idempotency_key",
    ],
  ],
  "An acknowledged log is stored once": [
    [
      "connection/database.ts",
      "deadlineMilliseconds: 5_000, waiting: 1_000",
      "deadlineMilliseconds: 50_000, waiting: 1_000",
    ],
    ["batch.ts", "        this.#isClosed = true;\n        return", "        return"],
    ["link.ts", "    link.close().catch(() => {});\n", ""],
    ["pool.ts", "if (this.#checkedOut.length > 0) return;", ""],
    ["batch.ts", "!batch.isShared || !isRefused(error)", "!batch.isShared"],
    [
      "link.ts",
      '    if (this.#isUnconfirmed) throw new Error("the wait for a synchronous standby was cancelled");\n',
      "",
      "a commit whose wait for a synchronous standby was cancelled is not acknowledged",
    ],
    ["link.ts", "AbortSignal.timeout(connectMilliseconds)", "new AbortController().signal"],
    ["dial.ts", "  if (signal.aborted) destroy();\n", ""],
    ["driver.ts", ".forEach(row => void rows.push(row));", ".then(all => rows.push(...all));"],
    [
      "link.ts",
      '"SyncRepWaitForLSN"',
      '"SyncRepWait"',
      "a commit whose wait for a synchronous standby was cancelled is not acknowledged",
    ],
    [
      "log-append.ts",
      "if (replayed) await confirmReads();",
      "",
      "a replayed log is not acknowledged before the synchronous standby has it",
    ],
    [
      "confirm.ts",
      " for key share",
      "",
      "a replayed log is not acknowledged before the synchronous standby has it",
    ],
    ["pool.ts", "    connection.cancel();\n", ""],
    [
      "pool.ts",
      "    remove(this.#waiting, task);\n",
      "",
      "whatever is lost, late or refused: a call settles once and is done once, and no connection is shared or leaks",
    ],
    ["promises.ts", "('fsync'), ", ""],
  ],
  "No bytes from a client crash": [
    [
      "budget.ts",
      'this.#hold("requests", 1);',
      'if (this.#held.bodyBytesWithoutToken === 0) this.#hold("requests", 1);',
      "bodies that end in one moment get no more places than there are",
    ],
    ["http-connection.ts", "    stopParsing(this.socket);\n", ""],
    ["limits.ts", "requests: 1_000,", "requests: 100_000,"],
    [
      "request-handler.ts",
      "    share.work();\n    const head",
      "    const head",
      "past the bound of requests under way the answer is 503, before any work is done",
    ],
    [
      "http-connection.ts",
      '.on("resume", () => this.socket.pause())',
      "",
      "sent without waiting: nothing more is read where the second is whole",
    ],
  ],
  "With a certificate the service speaks": [
    ["tls-identity.ts", "(statSync(keyFile).mode & 0o007) !== 0", "(statSync(keyFile).mode & 0o007) === 7"],
    [
      "listener.ts",
      '  "ECDHE-ECDSA-AES256-GCM-SHA384",\n',
      '  "ECDHE-ECDSA-AES256-GCM-SHA384",\n  "AES256-SHA",\n',
    ],
    ["listener.ts", "{ ...identity, ...policy });", "identity);"],
    [
      "listener.ts",
      "handshakeTimeout: limits.receiveMilliseconds",
      "handshakeTimeout: 100 * limits.receiveMilliseconds",
      "bounds the handshakes that do not go on",
    ],
    ["served-identity.ts", "found.cert !== this.current.cert || ", ""],
    ["listener.ts", '  "ECDHE-RSA-AES256-GCM-SHA384",\n', '  "ECDHE-ECDSA-AES128-SHA",\n'],
  ],
  "A stalled or dead reader": [
    [
      "log-output.ts",
      "this.#stream.writableLength + line.length > this.#bufferBytes",
      "this.#stream.writableLength > 1_000 * this.#bufferBytes",
    ],
    ["log-output.ts", "      this.#reported = this.#dropped;\n", ""],
    ["log-output.ts", '  stream.on("error", () => {});\n', ""],
    ["log-output.ts", "await Promise.race([taken, ", "await Promise.all([taken, "],
  ],
  "An unexpected error is logged": [
    [
      "serve.ts",
      'failed.catch(error => events.error("unexpected failure", { cause: stackOf(error) }));',
      "failed.catch(() => {});",
      "logs what nobody handled and ends with 1",
    ],
    [
      "serve.ts",
      "await service.close(graceMilliseconds);",
      "await service.close(0);",
      "SIGHUP does nothing while it drains after SIGTERM, and the request under way gets its response",
    ],
  ],
  "The operations listener is on loopback": [
    ["ops-server.ts", "connections: 100,", "connections: 100_000,", "are 100 connections, of 10 s each"],
    [
      "ops-server.ts",
      "lifetimeMilliseconds: 10_000,",
      "lifetimeMilliseconds: 10_000_000,",
      "are 100 connections, of 10 s each",
    ],
    [
      "settings.ts",
      '"OPS_HOST", "where the operations listener listens", "127.0.0.1"',
      '"OPS_HOST", "where the operations listener listens", "0.0.0.0"',
    ],
    ["operations-listener.ts", '    "Content-Security-Policy": policyOf(text),\n', ""],
  ],
  "Error responses contain no stack trace": [
    [
      "refusal.ts",
      'new HttpError(400, "Malformed HTTP request")',
      'new HttpError(400, reason ?? "Malformed HTTP request")',
      "is refused by either server for the same reasons, whatever the method, with and without a token",
    ],
    ["status-of-error.ts", '"Internal server error"', "String(error)"],
    [
      "domain/error.ts",
      '"Others changed the same records at the same time: send the request again"',
      "cause.message",
    ],
    ["domain/error.ts", '"The database is not available"', "cause"],
  ],
  "No secret is printed or logged": [
    ["request-log.ts", "path: exchange.target.path", "path: exchange.request.url"],
    ["request-log.ts", "cause instanceof Error ? ", "cause instanceof Error ? JSON.stringify(cause) + "],
    ["values.ts", '"has fewer than 32 bytes"', '"has fewer than 32 bytes: " + text'],
  ],
  "Responses contain only the fields": [
    [
      "employee-repository.ts",
      "const selection = selectionOf(employeeProperties, {});",
      "const selection = selectionOf({ ...employeeProperties, ...accountProperties }, {});",
    ],
    [
      "result.ts",
      "...(locationOf && { Location",
      '...(locationOf && { "Content-Type": "text/plain", Location',
    ],
  ],
  "A client of HTTP/1.1 can always tell": [
    [
      "response.ts",
      "const mostRestBytes = 16 * 1024 * 1024;",
      "const mostRestBytes = 16 * 1024 * 1024 * 1024;",
    ],
    ["response.ts", "if (exchange.leavesRest) throwAway(exchange.request);", ""],
    [
      "request-handler.ts",
      "if (exchange.refusal !== undefined) throw exchange.refusal;",
      "",
      "before its route begins, a change is refused and not made: the body is malformed",
    ],
    [
      "http-connection.ts",
      "if (!this.exchange.request.complete) this.exchange.refuse(refusal);",
      "if (!this.exchange.request.complete) return this.linger(last);",
      "while its route works, a change is made and its response sent: the body is malformed",
    ],
    [
      "http-connection.ts",
      "      this.end();\n",
      "",
      "sent without waiting, whatever the others ask for: one is answered, and the process goes on",
    ],
    [
      "request-handler.ts",
      "exchange.response.destroy()",
      "exchange.response.end()",
      "is cut off after that, so that nobody takes it for a whole one",
    ],
    [
      "response.ts",
      "  await receiveRest(exchange);\n",
      "",
      "what arrives is thrown away until its end, and the connection is closed then",
    ],
  ],
  "One slow reader, and all of them": [
    [
      "records.ts",
      "{ ofTexts: 48 * 1024, ofEntries: 128 * 1024 }",
      "{ ofTexts: 48 * 1024 * 1024, ofEntries: 128 * 1024 * 1024 }",
    ],
  ],
  "All responses that clients have not taken": [
    ["budget.ts", "const amount = withHeads(bytes);", "const amount = 0;", "take no place"],
    [
      "budget.ts",
      "2 * mostHeadBytes + bytes",
      "bytes",
      "counts with the head of its request, and of a next one, and those that wait longest are cut off",
    ],
    [
      "response.ts",
      "share.respondWithList(isOneChunk ? length : undefined);",
      "share.respondWithList(isOneChunk ? 0 : undefined);",
      "of one chunk take room for it",
    ],
    [
      "http-connection.ts",
      "if (this.socket.writableLength > 0) this.socket.pause();",
      "",
      "hold back the request behind them",
    ],
  ],
  "An employee, or an address": [
    [
      "budget.ts",
      "ofSameOwner === 0 || ofSameOwner + amount <= left",
      "true",
      "10,000 steps of clients: what is held is counted, bounded and given back, and newcomers are served",
    ],
    [
      "budget.ts",
      "a.#movedAt - b.#movedAt",
      "b.#movedAt - a.#movedAt",
      "make room for others, the oldest first, and are cut off by the service",
    ],
    ["budget.ts", "ofOwner(b) - ofOwner(a) || ", ""],
    ["budget.ts", "      !other.hasPlace &&\n", ""],
    [
      "budget.ts",
      "amount, slowReaderMilliseconds)) throw",
      "amount)) throw",
      "do not end those of others: while they are read another one is 503, and all that have begun come whole",
    ],
    [
      "exchange.ts",
      "      this.request.socket.destroy();\n",
      "",
      "make room for others, the oldest first, and are cut off by the service",
    ],
    [
      "exchange.ts",
      "      this.hasFailed = true;\n",
      "",
      "make room for others, the oldest first, and are cut off by the service",
    ],
    [
      "response.ts",
      "keepsUp = exchange.share.move() - since",
      "keepsUp = performance.now() - since",
      "are cut off for another one where their clients take nothing, and not where they only began first",
    ],
  ],
  "A stop takes no new connections": [
    [
      "draining.ts",
      "Reflect.apply(Server.prototype.close, this.#server, []);",
      "this.#server.close();",
      "still answers what arrives on the connections it has, and closes them",
    ],
    [
      "draining.ts",
      "    for (const socket of sockets) if (!known.has(clientOf(socket))) socket.destroy();\n",
      "",
      "ends handshakes under way when it is asked to stop, and waits for none",
    ],
  ],
  "With any filters, the cost of a list": [
    [
      "active-logs.ts",
      "windowRows = 4_000;",
      "windowRows = 4_000_000;",
      "the newest logs when few assets are active with the filter {}: found by maintenance_log_by_date, maintenance_log_by_asset, maintenance_log_pkey",
    ],
    ["pages.ts", "    firstRows.reduceTo(rows);\n", ""],
    ["pages.ts", "const mostGrowth = 4;", "const mostGrowth = 400;"],
  ],
  "A body has at most 64 KiB": [
    ["limits.ts", "headerBytes: 8 * 1024,", "headerBytes: 64 * 1024,"],
    ["route.ts", "usualBodyLimitBytes = 64 * 1024;", "usualBodyLimitBytes = 128 * 1024;"],
    ["routes.ts", "const credentialsLimitBytes = 4 * 1024;", "const credentialsLimitBytes = 64 * 1024;"],
    ["request-head.ts", "mostHeaders = 100;", "mostHeaders = 1_000;"],
  ],
  "All bodies under way together": [
    [
      "exchange.ts",
      "return this.caller !== undefined;",
      "return this.request.headers.authorization !== undefined;",
      "that never end keep nobody from logging in, though they have a token that is none",
    ],
    [
      "budget.ts",
      "const leastBytes = 4 * 1024;",
      "const leastBytes = 4;",
      "without a token take a part of what all may take; a token's holder is still served",
    ],
    [
      "exchange.ts",
      "if (this.refuseBody !== undefined) this.refuseBody(overloaded());",
      "if (this.refuseBody !== undefined) return;",
      "without a token take a part of what all may take; a token's holder is still served",
    ],
    [
      "body.ts",
      "      body.empty();\n",
      "",
      "that are too large are let go at once, though their rest still drips in",
    ],
  ],
  "A page of a list has at most 256 KiB": [
    [
      "pages.ts",
      "pageBytes = 256 * 1024;",
      "pageBytes = 1024 * 1024;",
      "have no page longer than 256 KiB and one log, however long the comments are",
    ],
    [
      "log-statements.ts",
      "[sql`l.id > 0`, sql`l.id > -1`]",
      "[sql`l.id > 0`, sql`l.id > 0`]",
      'all logs with the filter {"status":"CANCELLED"}: found by maintenance_log_by_status',
    ],
    ["pages.ts", "or octet_length(json) <= ", "or octet_length(json) >= 0 or 0 <= "],
  ],
  "Text from a client never becomes SQL": [
    [
      "employee-repository.ts",
      "select id from employee where role = 'ADMIN' and active limit 1`",
      "select id from employee where role = 'ADMIN' and active limit 1` && sql([\"select 1\"] as unknown as TemplateStringsArray)",
    ],
    ["statement.ts", 'new Statement(["", ""], [part])', "new Statement([`'` + String(part) + `'`], [])"],
  ],
  "`serve` never runs on a schema": [
    ["migrations.ts", "if (known === undefined) {", "if (known === undefined && version < 0) {"],
    ["migrations.ts", 'refuseMissing(missing, "run migrate first");', ""],
  ],
  "Production uses three packages": [
    ["Makefile", "npm ci --ignore-scripts --no-audit", "npm ci --no-audit"],
    ["deploy/install", "--omit=dev --ignore-scripts", "--omit=dev"],
    ["package.json", '"jose": "6.2.17"', '"jose": "^6.2.17"'],
    [
      "package-lock.json",
      '"node_modules/jose": {',
      '"node_modules/jose": {\n      "hasInstallScript": true,',
    ],
  ],
  "Every committed log, and every change": [
    ["settling.ts", "60_000 : 86_400_000", "0 : 86_400_000"],
    ["settling.ts", "{ ids: issued, xid, since", "{ ids: lastIds, xid, since"],
    ["0004_trail.sql", ",\n  unique (kind, record_id)\n", "\n"],
    [
      "0001_employee.sql",
      "when (old.role <> new.role or old.active <> new.active)",
      "when (old.role <> new.role)",
      "every state of an employee's role and activity is a record, with whoever asked for it",
    ],
  ],
  "The service signs only a trail": [
    [
      "signing.ts",
      "if (!(await makeStoredTree(ledger).extends(signed, tree)))",
      "if (signed.size > tree.size)",
    ],
    [
      "signing.ts",
      "const remembered = await rememberedHead(stateFile);",
      "const remembered = memory && { ...memory, place: stateFile.place, origin: key.name };",
    ],
    ["signing.ts", "  if (stored !== undefined) await requireExtended(ports, tree, stored);\n", ""],
    [
      "signing.ts",
      "    await stateFile?.write(note);\n    if (acceptance",
      "    await this.#publish(newest, false);\n    await stateFile?.write(note);\n    if (acceptance",
    ],
    ["trail-state-file.ts", "    await file.sync();\n", ""],
    ["trail-state-file.ts", '  await withFile(dirname(path), "r", folder => folder.sync());\n', ""],
    [
      "src/application/trail/trail.ts",
      "head && inWords(head)",
      "head?.size",
      "finds at the next poll that the newest entry was rewritten with its record, before there is another one",
    ],
    ["signing.ts", "    await checkpoints.confirm();\n", ""],
    [
      "checkpoints.ts",
      "confirm: makeConfirmReads({ query }),",
      "confirm: async () => {},",
      "what a checkpoint is about to cover is confirmed by a statement too",
    ],
  ],
  "`verify --database` names every log": [
    ["entries.ts", "stateOf(assetProperties)", 'stateOf(without(assetProperties, "description"))'],
    ["entries.ts", "stateOf(employeeProperties)", 'stateOf(without(employeeProperties, "active"))'],
    [
      "entries.ts",
      'if (name === "id") return',
      'if (name === "assetId") return sql`1`;\n  if (name === "id") return',
    ],
    ["comparisons.ts", "when record.hash is distinct from entry.hash then 'changed'", ""],
    [
      "store-verification.ts",
      "if (check.matches(head) || ",
      "if (head.size <= size || ",
      "names a log, with its hash and the tree rewritten consistently",
    ],
  ],
  "`verify` and `audit` follow": [
    [
      "comparison.ts",
      '(field !== "recordedAt" && field !== "kind")',
      '(field !== "recordedAt" && field !== "kind" && field !== "performedByName")',
      "compares each field that is recorded",
    ],
    [
      "trail-client.ts",
      'redirect: "error", ',
      "",
      "logs in again when the token has expired, and follows no redirect",
    ],
    [
      "trail-client.ts",
      "if (length > mostBytes)",
      "if (length > 1_000 * mostBytes)",
      "reads no response that is longer than any of a trail",
    ],
    ["note.ts", "readBigInt64BE", "readBigUInt64BE"],
    [
      "verify-entries.ts",
      "if (rest.length > 0) throw failed",
      "if (rest.length < 0) throw failed",
      "refuses an end within an entry",
    ],
    [
      "verify-proof.ts",
      "if (names.length !== members)",
      "if (names.length < members)",
      "refuses a log that other programs may read in another way",
    ],
    [
      "application/trail/audit.ts",
      "if (before !== undefined && !check.matches(before))",
      "if (before !== undefined && before.size > size)",
      "refuses a trail that was rewritten, whatever is signed",
    ],
  ],
  "`SECRET_KEY` has at least": [
    ["values.ts", "Buffer.byteLength(text.trim()) < 32", "Buffer.byteLength(text) < 32"],
    ["jose-tokens.ts", ".sign(key)", ".sign(previousKey ?? key)"],
    [
      "jose-tokens.ts",
      "jwtVerify<Payload>(token, previousKey, options)",
      "jwtVerify<Payload>(token, previousKey)",
    ],
    [
      "config/settings.ts",
      "settings.previousSecretKey === settings.secretKey",
      "settings.previousSecretKey === ''",
    ],
  ],
  "A key that is sent again": [
    ["application/maintenance-logs.ts", "if (!isLogOf(appended.log, assetId, log)) throw keyReused();", ""],
    [
      "domain/maintenance-log.ts",
      "  log.assetId === assetId &&\n",
      "",
      "another log under the same key is refused, on another asset too",
    ],
    ["domain/maintenance-log.ts", "every(name => log", 'every(name => name === "comment" || log'],
  ],
  "With `sslmode=verify-full`": [
    [
      "encryption.ts",
      'rejectUnauthorized: this.#mode !== "require"',
      'rejectUnauthorized: this.#mode === "verify-ca"',
      "at 127.0.0.1 with sslmode=verify-full&sslrootcert=foreign.pem: unable to verify|self.signed|unable to get",
    ],
    [
      "encryption.ts",
      "if (!isDeepStrictEqual(pem, this.#pem)) {",
      "if (pem.ca === undefined && this.#pem.ca !== undefined) {",
      "authorities that have changed since the start count for each new connection",
    ],
    [
      "dial.ts",
      'throw new Error("the server has no TLS")',
      "return socket",
      "a server without TLS is refused",
    ],
  ],
  "Every response carries": [
    [
      "exchange.ts",
      '  "X-Content-Type-Options": "nosniff",\n',
      "",
      "are found as they are decoded, and what is not there is 404 or 405",
    ],
    ["exchange.ts", '  "Cache-Control": "no-store",\n', ""],
    [
      "server.ts",
      "isSecure ? { ...cors.forOrigin(origin), ...strictTransport } : cors.forOrigin(origin)",
      "cors.forOrigin(origin)",
      "is spoken, with HSTS on answers of any kind, and plain HTTP is not",
    ],
    ["cors.ts", "origin === undefined || !allowed.includes(origin)", "origin === undefined"],
  ],
  "At most 10,000 connections": [
    ["limits.ts", "connections: 10_000,", "connections: 100_000,"],
    [
      "listener.ts",
      "  server.timeout = limits.stallMilliseconds;\n",
      "",
      "who takes nothing of a long answer is cut, and the reading of the list ends",
    ],
    [
      "listener.ts",
      "server.maxConnections = identity === undefined ? limits.connections : limits.tlsConnections;",
      "",
      "connections past the bound are closed without a response, and counted",
    ],
  ],
  "A walk over a list": [
    [
      "log-statements.ts",
      "const inOrder = sql`order by l.performed_date desc, l.id desc`",
      "const inOrder = sql`order by l.performed_date desc`",
    ],
    ["pages.ts", "next: rows < limit ? undefined : lastId", "next: rows < limit ? undefined : lastId + 1"],
    [
      "pages.ts",
      "limits.map(() => pageOf(rows, Math.min(...limits)))",
      "limits.map(limit => pageOf(rows, limit))",
    ],
  ],
  "`performedDate` is shown": [
    ["packed-logs.ts", "digit >= 0 && digit <= 9 ? ", "true ? "],
    ["driver.ts", 'text.replace(" ", "T")', "new Date(text).toISOString().slice(0, 19)"],
    [
      "0003_maintenance_log.sql",
      "performed_date           timestamp without time zone",
      "performed_date           timestamptz",
    ],
  ],
  "A log whose asset or performer": [
    [
      "maintenance-log-repository.ts",
      "left join asset a on a.id = l.asset_id",
      "join asset a on a.id = l.asset_id",
    ],
    ["names.ts", 'performers")} left join', 'performers")} join'],
  ],
  "A proof or a tile": [
    [
      "publishing.ts",
      "isIncluded(index, head.size, leafHash(entry), hashes, head.root)",
      "hashes.length >= 0",
    ],
    [
      "publishing.ts",
      "stored.ranges([{ level, from, to }]).catch(goneIfTrailError)",
      "ledger.hashes([{ level, from, to }])",
    ],
    ["publishing.ts", "index >= head.size", "index > head.size"],
  ],
  "`accept-trail` leaves": [
    [
      "accept-trail.ts",
      '    eventsOf(context).warn("trail accepted", acceptanceInWords(acceptance));\n',
      "",
      "an older dump is refused by the service, until it is accepted",
    ],
    [
      "src/domain/trail/acceptance.ts",
      "refused: refused ? inWords(refused) : none,",
      "refused: none,",
      "an older dump is refused by the service, until it is accepted",
    ],
    [
      "signing.ts",
      "if (lost !== givesUp) {",
      "if (lost < 0) {",
      "accepting a shorter trail needs the number of entries that are given up, and changes nothing without",
    ],
    [
      "signing.ts",
      "await checkpoints.accept(signAcceptance(acceptance, key), note);",
      "await checkpoints.add(note);",
    ],
    [
      "signing.ts",
      "await checkpoints.accept(signAcceptance(acceptance, key), note);\n  await stateFile?.write(note);",
      "await stateFile?.write(note);\n  await checkpoints.accept(signAcceptance(acceptance, key), note);",
      "keeps what is remembered where what the operator accepts cannot be stored",
    ],
  ],
};
