import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { linesOf } from "../../../src/adapters/postgres/trail/entries.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { allIds, endAt } from "../../support/trail-stage.ts";
import { until } from "../../support/until.ts";

describe("the trail's records in PostgreSQL", async () => {
  const opened = await shared(openDatabase());
  const database = opened.connect();
  const owner = opened.session();
  await owner`alter table trail_entry disable trigger append_only`;
  await owner`insert into asset (name, description) select 'Pump', repeat('x', 1000) from generate_series(1, 40)`;

  /** On a connection of its own: one that has met a statement goes on with the functions that it found then. */
  async function read() {
    const { ledger, records } = makeRepositories(opened.connect()).trail;
    const entries = await records.entries(0, 2);
    const { lastHash } = await ledger.end();
    const [stored] = await ledger.hashes([{ level: 0, from: 0, to: 2 }]);
    // What the third record is hashed to.
    const { hashes: hashed } = (await ledger.number(endAt(2), allIds, 1)) ?? assert.fail();
    await owner`delete from trail_entry where index = 2`;
    return { hashed, entries, lastHash, stored };
  }

  test("are read right where bytea_output is escape, and with PostgreSQL's own functions", async () => {
    const { ledger } = makeRepositories(database).trail;
    const { hashes } = (await ledger.number(endAt(0), allIds, 2)) ?? assert.fail();
    const before = await read();
    assert.deepEqual([before.entries.length, before.stored, before.hashed.length], [2, hashes, 32]);
    assert.deepEqual(before.lastHash, hashes.subarray(32));
    await database.query(
      sql`do $$ begin execute format('alter database %I set bytea_output = escape', current_database()); end $$`,
    );
    assert.deepEqual(await read(), before);
    for (const [name, type, body] of [
      ["to_json(text)", "json", `'"forged"'::json`],
      ["concat(text, integer)", "text", "'forged'"],
      ["sha256(text)", "bytea", "''::bytea"],
      ["convert_to(text, text)", "bytea", "''::bytea"],
      ["to_json(timestamp)", "json", `'"forged"'::json`],
      ["to_char(timestamp, text)", "text", "'forged'"],
      ["encode(bytea, text)", "text", "'forged'"],
      ["decode(text, text)", "bytea", "''::bytea"],
      ["string_agg(bytea)", "text", "'forged'"],
    ]) {
      await owner.unsafe(`create function public.${name} returns ${type} language sql as $$select ${body}$$`);
    }
    assert.deepEqual(await read(), before);
  });

  test("have the times of UTC where the session calls another zone so", async () => {
    const read = async (zone: string) => {
      await owner.unsafe(`set timezone = '${zone}'`);
      const rows = await owner.unsafe(linesOf.asset.text);
      await owner.unsafe("reset timezone");
      return rows.map(({ line }) => line);
    };
    const lines = await read("Etc/UTC");
    assert.match(lines[0], /"recordedAt":"\d{4}-\d\d-\d\dT[\d:.]+Z"/);
    assert.deepEqual(await read("UTC+5"), lines);
  });

  test("count no id as the last one that the owner of the tables has inserted", async () => {
    const { ledger, records } = makeRepositories(database).trail;
    const { size } = await ledger.end();
    await ledger.number(endAt(size), allIds, 1_000);
    const { lastIds } = await records.horizon(false);
    await owner`
      insert into asset_event (id, asset_id, name, description, active)
      overriding system value values (1000000, 1, 'Pump', '', true)`;
    const numbered = await ledger.number(await ledger.end(), allIds, 1_000);
    assert.deepEqual([numbered?.hashes.length, numbered?.lastIds.asset], [32, 1_000_000]);
    assert.deepEqual((await records.horizon(false)).lastIds, lastIds);
  });

  test("name the first entry of a record that has two, where the owner of the tables has dropped the constraint", async () => {
    const { ledger } = makeRepositories(database).trail;
    const { size } = await ledger.end();
    assert.equal(await ledger.firstRepeated(0, size), undefined);
    await owner`alter table trail_entry drop constraint trail_entry_kind_record_id_key`;
    await owner`insert into trail_entry select ${size}::bigint, record_id, kind, hash from trail_entry where index = 1`;
    assert.match((await ledger.firstRepeated(0, size)) ?? "", /^entry 1 of asset record \d+$/);
    assert.match(
      (await ledger.firstRepeated(2, size + 1)) ?? "",
      new RegExp(`^entry ${size} of asset record`),
    );
    assert.equal(await ledger.firstRepeated(2, size), undefined);
    await owner`delete from trail_entry where index = ${size}`;
    await owner`alter table trail_entry add unique (kind, record_id)`;
  });

  test("fit into an entry at their longest, and get no number where the owner of the tables has made a longer one", async () => {
    const { ledger, records } = makeRepositories(database).trail;
    await owner`insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
      values ('Ada', 'Byron', '+45 12 34 56', 'a@example.com', 'a@example.com', 'TECHNICIAN', 'none')`;
    const write = (characters: number) => owner`
      insert into maintenance_log
        (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, performed_by_name)
      values ('9999-12-31T23:59:59.999999', 'IN_PROGRESS', 'MAINTENANCE', repeat(chr(1), ${characters}), 1, 1, repeat(chr(1), 101))`;
    await write(10_000);
    const { size } = await ledger.end();
    const first = (await ledger.number(endAt(size), allIds, 1_000)) ?? assert.fail();
    assert.deepEqual([first.found, first.tooLong], [2, undefined]);
    const longest = (await records.entries(size + 1, size + 2))[0]?.length ?? 0;
    assert.ok(longest > 60_000 && longest <= 65_535, `${longest}`);
    await owner`alter table maintenance_log drop constraint maintenance_log_comment_check`;
    await write(11_000);
    await write(1);
    const numbered = (await ledger.number(endAt(size + 2), allIds, 1_000)) ?? assert.fail();
    assert.deepEqual([numbered.found, numbered.hashes.length / 32, numbered.tooLong], [2, 1, "log 2"]);
    assert.equal((await ledger.end()).size, size + 3);
    const findings: string[] = [];
    for await (const finding of records.differences()) findings.push(finding);
    assert.ok(findings.includes("log 2: is too long for an entry"), findings.join("\n"));
  });

  test("wait for the end of a transaction that is open", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database runs one transaction at a time");
    const { records } = makeRepositories(database).trail;
    let taken = 0;
    await owner.begin(async transaction => {
      await transaction`update asset set active = active where id = 1`;
      const { xid = assert.fail() } = await records.horizon(true);
      taken = xid;
      assert.ok((await records.horizon(false)).xmin < taken);
    });
    // Other tests on the same server may have a transaction open for a moment.
    await until(async () => (await records.horizon(false)).xmin > taken);
  });

  test("are read in pieces whose bytes are bounded as they are sent, also where each byte of a text becomes six", async () => {
    const { ledger, records } = makeRepositories(database).trail;
    await owner`
      insert into asset (name, description) select 'Pump', repeat(chr(1), 2000) from generate_series(1, 60)`;
    await owner`insert into asset (name, description) select 'Pump', 'short' from generate_series(1, 300)`;
    const { size: before } = await ledger.end();
    await ledger.number(endAt(before), allIds, 1_000);
    const { size } = await ledger.end();
    const pieces: number[][] = [];
    for (let at = before; at < size; at += pieces.at(-1)?.length ?? 0) {
      pieces.push((await records.entries(at, size)).map(({ length }) => length));
    }
    assert.equal(pieces.flat().length, size - before);
    assert.ok(pieces.flat().filter(length => length > 12_000).length >= 60);
    const bytes = pieces.map(piece => piece.reduce((sum, length) => sum + length));
    assert.ok(Math.max(...bytes) <= 128 * 1024, `${bytes}`);
    // Of short entries a whole tile is one piece.
    assert.ok(
      pieces.some(({ length }) => length >= 200),
      `${pieces.map(({ length }) => length)}`,
    );
  });
});
