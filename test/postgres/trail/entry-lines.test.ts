import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { lineOf } from "../../../src/adapters/postgres/trail/entries.ts";
import { optional, textBetween } from "../../../src/domain/field.ts";
import { flag, id, oneOf, recorded } from "../../../src/domain/record.ts";
import { entryFields, recordedOf } from "../../../src/domain/trail/entry.ts";
import { openDatabase } from "../../support/database.ts";

const note = optional(textBetween("Note", 0, 100), null);

test("an entry leaves out what is null of a record, wherever it stands, and keeps the nulls of its own", async () => {
  await using opened = await openDatabase();
  const { changedBy, recordedAt } = entryFields.asset;
  const fields = {
    ...recordedOf({
      id: recorded(id),
      active: recorded(flag),
      aNote: recorded(note),
      lastNote: recorded(note),
    }),
    changedBy,
    recordedAt,
    kind: oneOf("pump"),
  };
  const rows = sql`(
    select id, pump_id, active, a_note, last_note, changed_by, recorded_at from (values
      (1, 7, true, null, null, null::bigint, null::timestamptz),
      (2, 7, false, 'a "note"', null, 3, null),
      (3, 8, true, null, E'the\\n last', null, '2026-03-02 08:01:44.31Z')
    ) as given (id, pump_id, active, a_note, last_note, changed_by, recorded_at)
  )`;
  const lines = await opened.connect().query<{ line: string }>(sql`
    select line from (${lineOf(rows, "pump", fields, sql`pump_id`)}) as line order by id`);
  assert.deepEqual(
    lines.map(({ line }) => line),
    [
      '{"active":true,"changedBy":null,"id":7,"kind":"pump","recordedAt":null}',
      '{"aNote":"a \\"note\\"","active":false,"changedBy":3,"id":7,"kind":"pump","recordedAt":null}',
      '{"active":true,"changedBy":null,"id":8,"kind":"pump","lastNote":"the\\n last","recordedAt":"2026-03-02T08:01:44.310000Z"}',
    ],
  );
});

test("an entry may be without what is null of a record, and never has null for it", () => {
  const { id: number, aNote } = recordedOf({ id: recorded(id), aNote: recorded(note) });
  const values = [undefined, null, "", "left", 7];
  assert.deepEqual(values.map(aNote.is), [true, false, true, true, false]);
  assert.deepEqual(values.map(number.is), [false, false, false, false, true]);
});
