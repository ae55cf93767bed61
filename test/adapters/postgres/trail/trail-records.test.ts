import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import postgres from "postgres";
import { connect, type Database } from "../../../../src/adapters/postgres/connection/database.ts";
import { makeTrailRecords } from "../../../../src/adapters/postgres/trail/trail-records.ts";
import { openDatabase, type TestDatabase } from "../../../support/database.ts";

describe("hashes of long records", () => {
  let opened: TestDatabase;
  let database: Database;
  before(async () => {
    opened = await openDatabase();
    database = connect(opened.url);
    const sql = postgres(opened.url, { max: 1 });
    await sql`insert into asset (name, description) select 'Pump', repeat('x', 1000) from generate_series(1, 40)`;
    await sql.end();
  });
  after(async () => {
    await database.close();
    await opened.drop();
  });

  const countOf = async (mostBytes: number) => {
    const { hashesIn } = makeTrailRecords(database, mostBytes);
    return (await hashesIn("asset", [{ first: 1, last: 100 }], 40)).length;
  };

  test("are asked for fewer records at once, the longer they are together", async () => {
    assert.deepEqual([await countOf(100_000), await countOf(10_000), await countOf(3_000)], [40, 5, 1]);
  });

  test("are asked for one record at least, however long it is", async () => {
    assert.equal(await countOf(10), 1);
  });
});
