import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import postgres from "postgres";
import { connect, type Database } from "../../../../src/adapters/postgres/connection/database.ts";
import { makeTrailRepository } from "../../../../src/adapters/postgres/trail/trail-repository.ts";
import { idsEnd } from "../../../../src/application/trail/trail-repository.ts";
import { openDatabase, type TestDatabase } from "../../../support/database.ts";

describe("ids that no record can have", () => {
  let opened: TestDatabase;
  let database: Database;
  let sql: postgres.Sql;
  const write = (id: string) => sql`
    insert into maintenance_log (id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
    overriding system value values (${id}, '2026-01-01', 'PENDING', 'ERROR', '', 1, 1)`;
  before(async () => {
    opened = await openDatabase();
    database = connect(opened.url);
    sql = postgres(opened.url, { max: 1, onnotice: () => {} });
    await sql`insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
      values ('Ada', 'Byron', '123456', 'a', 'a', 'TECHNICIAN', 'x')`;
    await sql`insert into asset (name, description) values ('Pump', '')`;
    await write("7");
  });
  after(async () => {
    await sql.end();
    await database.close();
    await opened.drop();
  });

  test("are refused by the database", async () => {
    for (const id of ["4503599627370496", "9223372036854775807", "0", "-5"])
      await assert.rejects(write(id), { code: "23514" }, id);
  });

  test("are named, and neither numbered nor counted as the newest, where the owner has dropped the constraints", async () => {
    await sql`alter table maintenance_log
      drop constraint maintenance_log_id_positive, drop constraint maintenance_log_id_bound`;
    const strays = ["-5", "4503599627370496", "9223372036854775807"];
    for (const id of strays) await write(id);
    const trail = makeTrailRepository(database);
    assert.deepEqual((await trail.strays("log")).sort(), strays.sort());
    assert.equal((await trail.newest()).lastIds.log, 0);
    await sql`select setval('maintenance_log_id_seq', 8)`;
    assert.equal((await trail.newest()).lastIds.log, 7);
    await sql`select setval('maintenance_log_id_seq', 9223372036854775807)`;
    assert.equal((await trail.newest()).lastIds.log, 7);
    assert.deepEqual(
      (await trail.recordsIn("log", [{ first: 1, last: idsEnd - 1 }], 10)).map(({ recordId }) => recordId),
      [7],
    );
    assert.deepEqual(await trail.spans("log", 16_384), [0]);
  });

  test("an entry outside of the trail takes the place of none, where the owner has dropped the constraint", async () => {
    await sql`alter table trail_run drop constraint trail_run_first_index`;
    const trail = makeTrailRepository(database);
    for (const index of ["-5", "9223372036854775807"]) {
      await sql`insert into trail_run values (${index}, 0, '\\x07', decode(repeat('00', 32), 'hex'))`;
    }
    assert.deepEqual(await trail.idsWithEntry("log", [7]), []);
    assert.deepEqual(await trail.entriesOf("log", 0, 256), []);
    assert.deepEqual(await trail.entries(0, 256), []);
    assert.equal(await trail.placeOfLog(7), undefined);
    const { size, lastIds } = await trail.end();
    assert.deepEqual([size, lastIds.log], [0, 0]);
    assert.deepEqual([...(await trail.idsWithoutEntry("log", 7, 10))], [{ first: 1, last: 7 }]);
    assert.equal(await trail.append(0, [{ kind: "log", recordId: 7, hash: new Uint8Array(32) }], []), true);
    assert.equal((await trail.placeOfLog(7))?.index, 0);
    assert.deepEqual((await trail.strays("tile")).sort(), ["-5", "9223372036854775807"]);
  });

  test("what an owner has made of a row is no error of a statement", async () => {
    await sql`alter table trail_run disable trigger user`;
    await sql`alter table trail_checkpoint alter column size drop not null, alter column root drop not null`;
    await sql`alter table trail_reading disable trigger user`;
    await sql`insert into trail_checkpoint (size, root, note) values (null, null, 'x')`;
    await sql`insert into trail_reading (id, first_group, mismatches) values (9223372036854775807, 0, 0), (7, 0, -5)`;
    const trail = makeTrailRepository(database);
    const last = await trail.lastCheckpoint();
    assert.deepEqual([last?.size, last?.root.length], [idsEnd, 0]);
    assert.deepEqual(
      (await trail.readings(5)).map(({ id, mismatches }) => [id, mismatches]),
      [[7, 0]],
    );
    assert.deepEqual(await trail.records("log", [2 ** 71]), []);
    assert.deepEqual((await trail.records("log", [2 ** 71, 7])).length, 1);
    await sql`alter table trail_run drop constraint if exists trail_run_check, alter column hashes drop not null`;
    await sql`truncate trail_run`;
    await sql`insert into trail_run values (0, 0, '\\x07', null)`;
    const place = await trail.placeOfLog(7);
    assert.deepEqual([place?.index, place?.neighbours.length, place?.hash.length], [0, 0, 0]);
    await sql`truncate trail_run`;
  });

  test("a run that was removed is missing, wherever it was", async () => {
    await sql`alter table trail_run disable trigger user`;
    await sql`truncate trail_run`;
    const trail = makeTrailRepository(database);
    const hash = new Uint8Array(32);
    const ids = Array.from({ length: 600 }, (_, at) => at + 1);
    await trail.append(
      0,
      ids.map(recordId => ({ kind: "log", recordId, hash })),
      [],
    );
    const runs = await sql<{ first: string; length: number }[]>`
      select first_index as first, length(places) as length from trail_run order by first_index`;
    assert.ok(runs.length > 3);
    for (const { first } of runs) {
      await sql`create temp table kept as select * from trail_run where first_index = ${first}`;
      await sql`delete from trail_run where first_index = ${first}`;
      assert.equal(await trail.firstMissing(0, 600), Number(first));
      await sql`insert into trail_run select * from kept`;
      await sql`drop table kept`;
      assert.equal(await trail.firstMissing(0, 600), undefined);
    }
  });
});
