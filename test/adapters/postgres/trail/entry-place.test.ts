import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { connect } from "../../../../src/adapters/postgres/connection/database.ts";
import { makePlaceOfLog } from "../../../../src/adapters/postgres/trail/entry-place.ts";
import { openDatabase } from "../../../support/database.ts";
import { literal, planOf, recording } from "../../../support/recording-database.ts";

const runs = 30_000;
/**
 * As numbering stores them: four runs to a group, and no statistics yet of what came at once. Sessions keep a plan that they
 * have made while there were a few hundred logs.
 */
const seed = `
  insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
  values ('Ada', 'Byron', '+45 12 34 56', 'ada@example.com', 'ada@example.com', 'TECHNICIAN', 'none');
  insert into asset (name, description) values ('Pump', '');
  insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
  select timestamp '2026-01-01', 'PENDING', 'ERROR', 'Pressure, belts and sensors checked', 1, 1 from generate_series(1, 350);
  analyze maintenance_log;
  alter table trail_run set (autovacuum_enabled = false);
  insert into trail_run (first_index, record_group, places, hashes)
  select i * 64, i / 4, repeat('a', 64)::bytea, sha256(i::text::bytea) || repeat('b', 63 * 32)::bytea
  from generate_series(0, ${runs - 1}) i`;

/** From this cost on PostgreSQL compiles a statement before it runs it, which takes it 50 ms each time (JIT). */
const jitAboveCost = 100_000;

test("the place of an entry is found by indexes while there are few logs, and without statistics at a cost below that of compilation", async () => {
  const opened = await openDatabase();
  const service = connect(opened.url);
  const admin = postgres(opened.url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    await admin.unsafe(seed);
    const { database, sent } = recording(service);
    const placeOfLog = makePlaceOfLog(database);
    await Promise.all(Array.from({ length: 100 }, (_, at) => placeOfLog(at * 256 + 97)));
    const [{ text, values } = assert.fail("nothing was sent")] = sent;
    await admin.unsafe(`prepare explained as ${text}`);
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await admin.unsafe(`set plan_cache_mode = ${mode}`);
      const [row] = await admin.unsafe(`explain (format json) execute explained(${values.map(literal)})`);
      const [plan] = planOf(row) as [{ Plan: { "Total Cost": number } }];
      assert.doesNotMatch(JSON.stringify(plan), /"Seq Scan"|"Hash/, mode);
      const cost = plan.Plan["Total Cost"];
      assert.ok(cost > 0 && cost < jitAboveCost / 5, `${mode}: ${cost}`);
    }
  } finally {
    await admin.end({ timeout: 1 });
    await service.close();
    await opened.drop();
  }
});
