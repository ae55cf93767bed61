import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readerOf, selectionOf } from "../../../src/adapters/postgres/connection/rows.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { computed, flag, id, oneOf, orNull, recorded, stored, text } from "../../../src/domain/record.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";

const pump = {
  id: recorded(id),
  fullName: stored(text),
  isOn: stored(flag),
  state: stored(oneOf("NEW", "OLD")),
  place: computed(orNull(text)),
};

describe("rows of a declared record", async () => {
  const { query } = (await shared(openDatabase())).connect();
  const rowOf = (values: string, place = sql`null`) =>
    query(
      sql`select ${selectionOf(pump, { place })} from json_to_record(${values}::text::json)
        as pump (id bigint, full_name text, is_on boolean, state text)`,
      readerOf(pump),
    );

  test("are read by the names of its properties, in their order", async () => {
    const values = '{"id":7,"full_name":"Pump 7","is_on":true,"state":"OLD"}';
    const [row] = await rowOf(values, sql`'left'`);
    assert.deepEqual(Object.entries(row ?? {}), [
      ["id", 7],
      ["fullName", "Pump 7"],
      ["isOn", true],
      ["state", "OLD"],
      ["place", "left"],
    ]);
    assert.equal((await rowOf(values))[0]?.place, null);
  });

  test("are none of it with a value of another type: the database is then not available", async () => {
    const right = { id: 7, full_name: "", is_on: true, state: "OLD" };
    assert.equal((await rowOf(JSON.stringify(right))).length, 1);
    for (const wrong of [{ id: 0 }, { id: null }, { full_name: null }, { is_on: null }, { state: "old" }])
      await assert.rejects(
        rowOf(JSON.stringify({ ...right, ...wrong })),
        { code: "UNAVAILABLE" },
        JSON.stringify(wrong),
      );
    await assert.rejects(query(sql`select 7 as id`, readerOf(pump)), ({ cause }) =>
      /a row has a wrong fullName/.test(cause.message),
    );
  });
});
