import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import postgres from "postgres";
import { connect, type Database } from "../../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../../src/adapters/postgres/connection/statement.ts";
import { makeTrailRecords } from "../../../../src/adapters/postgres/trail/trail-records.ts";
import { openDatabase, type TestDatabase } from "../../../support/database.ts";

describe("hashes of records", () => {
  let opened: TestDatabase;
  let database: Database;
  let owner: postgres.Sql;
  before(async () => {
    opened = await openDatabase();
    database = connect(opened.url);
    owner = postgres(opened.url, { max: 1 });
    await owner`insert into asset (name, description) select 'Pump', repeat('x', 1000) from generate_series(1, 40)`;
  });
  after(async () => {
    await owner.end();
    await database.close();
    await opened.drop();
  });

  const countOf = async (mostBytes: number) => {
    const { hashesIn } = makeTrailRecords(database, mostBytes);
    return (await hashesIn("asset", [{ first: 1, last: 100 }], 40)).length;
  };

  test("are asked for fewer at once, the longer the records are together", async () => {
    assert.deepEqual([await countOf(100_000), await countOf(10_000), await countOf(3_000)], [40, 5, 1]);
  });

  test("are read right where bytea_output is escape", async () => {
    const hashOf = async (of: Database) =>
      (await makeTrailRecords(of).hashesIn("asset", [{ first: 1, last: 1 }], 1)).map(({ hash }) => hash);
    const before = await hashOf(database);
    await database.query(
      sql`do $$ begin execute format('alter database %I set bytea_output = escape', current_database()); end $$`,
    );
    const other = connect(opened.url);
    assert.deepEqual(await hashOf(other), before);
    await other.close();
    assert.equal(before[0]?.length, 32);
  });

  test("are those of PostgreSQL's own functions, whatever functions the schema has", async () => {
    const one = [{ first: 1, last: 1 }];
    // A connection that has met a statement goes on with the functions that it found then.
    const read = async () => {
      const fresh = connect(opened.url);
      const { hashesIn, recordsIn } = makeTrailRecords(fresh);
      const found = [await hashesIn("asset", one, 1), await recordsIn("asset", one, 1)];
      await fresh.close();
      return found;
    };
    const before = await read();
    for (const [name, type, body] of [
      ["to_json(text)", "json", `'"forged"'::json`],
      ["concat(text, integer)", "text", "'forged'"],
      ["sha256(text)", "bytea", "''::bytea"],
      ["convert_to(text, text)", "bytea", "''::bytea"],
      ["replace(text, text, text)", "text", "'forged'"],
      ["to_char(timestamp, text)", "text", "'forged'"],
      ["encode(bytea, text)", "text", "'forged'"],
    ]) {
      await owner.unsafe(`create function public.${name} returns ${type} language sql as $$select ${body}$$`);
    }
    assert.deepEqual(await read(), before);
  });

  test("are asked for one at least, however long its record is", async () => {
    assert.equal(await countOf(10), 1);
  });
});
