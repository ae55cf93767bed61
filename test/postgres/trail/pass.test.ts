import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Database } from "../../../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { Numbering } from "../../../src/application/trail/numbering.ts";
import { windowSize } from "../../../src/application/trail/ports.ts";
import { makeFakeClock } from "../../fakes/fake-clock.ts";
import { makeRecordingEventLog } from "../../fakes/recording-event-log.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { explain, recording, rowsRead } from "../../support/recording-database.ts";
import { allIds, pollAll } from "../../support/trail-stage.ts";

const [logCount, windows] = [12_000, 4];
/** So far apart are the ids of logs that all of them take some windows. */
const step = (windows * windowSize) / logCount;

const seed = `
  insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
  values ('Ada', 'Byron', '+45 12 34 56', 'a@example.com', 'a@example.com', 'TECHNICIAN', 'none');
  insert into asset (name, description) values ('Pump', '')`;

/** Logs with the ids that this gives for each `i`. */
const insertLogs = (id: string, count: number) => `
  insert into maintenance_log (id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
  overriding system value
  select ${id}, '2026-02-28T10:20:30', 'PENDING', 'ERROR', 'Oil', 1, 1 from generate_series(1, ${count}) i`;

describe("a pass over all ids of the trail", async () => {
  const opened = await shared(openDatabase());
  const service = opened.connect();
  const owner = opened.session({ fetch_types: false });
  await owner.unsafe(seed);
  await owner.unsafe(insertLogs(`trunc(i * ${step})::bigint`, logCount));
  await owner.unsafe(`select setval('maintenance_log_id_seq', ${windows * windowSize})`);

  /** What a process numbers that has just started: all that has no entry. */
  const numberAll = (database: Database) =>
    pollAll(
      new Numbering({
        ...makeRepositories(database).trail,
        clock: makeFakeClock(),
        events: makeRecordingEventLog(),
      }),
    );

  test("finds what was inserted anywhere, with statements that read a window each, however many records there are", async () => {
    await numberAll(service);
    // In each window a log that is found by a pass alone: its id is below those that polls go over.
    await owner.unsafe(insertLogs(`i * ${windowSize} - ${windowSize / 2} + 1`, windows));
    await numberAll(service);
    const [entries] = await owner.unsafe(`
      select count(*)::int, count(distinct record_id)::int as logs, max(index)::int as last,
        count(*) filter (where l.id is null)::int as others
      from trail_entry left join maintenance_log l on l.id = record_id where kind = 'log'`);
    const logs = logCount + windows;
    // The states of the employee and the asset have an entry each.
    assert.deepEqual({ ...entries }, { count: logs, logs, last: logs + 1, others: 0 });

    await owner.unsafe("analyze");
    const { database, sent } = recording(service);
    await numberAll(database);
    const read: number[] = [];
    for (const statement of sent.filter(({ text }) => text.includes("insert into trail_entry"))) {
      read.push(rowsRead(await explain(owner, statement), ["maintenance_log", "trail_entry"]));
    }
    assert.ok(read.length > windows);
    // Its logs and their entries.
    const mostOfWindow = 2 * (logCount / windows + 3);
    assert.ok(Math.max(...read) <= mostOfWindow, `${read} rows, instead of ${mostOfWindow}`);
    assert.ok(Math.max(...read) > logCount / windows, "a window has many logs");
  });

  test("is not begun, and numbers nothing, by a process that has known the database before a migration", async () => {
    const { ledger, ...others } = makeRepositories(service).trail;
    const numbering = new Numbering({
      ...others,
      ledger,
      clock: makeFakeClock(),
      events: makeRecordingEventLog(),
    });
    await pollAll(numbering);
    const { schema, ...end } = await ledger.end();
    await owner`insert into schema_migration (version, name) values (${schema + 1}, 'location')`;
    await owner.unsafe("insert into asset (name, description) values ('Pump with a location', '')");
    const isMigrated = {
      name: "TrailError",
      kind: "failing",
      message: /^the database was migrated: start the newer/,
    };
    await assert.rejects(numbering.step(), isMigrated);
    // A poll that began before the migration.
    assert.equal(await ledger.number({ ...end, schema }, allIds, 10), undefined);
    assert.deepEqual(await ledger.end(), { ...end, schema: schema + 1 });
    await numberAll(service);
    assert.equal((await ledger.end()).size, end.size + 1);
  });
});
