import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { explain, recording, rowsRead } from "../../support/recording-database.ts";

// On a small table PostgreSQL would rather hash all of it than look up a few rows: rendering long comments then takes seconds.
describe("the entry of a log, on a small table of long comments", async () => {
  const opened = await shared(openDatabase());
  const owner = opened.session({ fetch_types: false });
  await owner.unsafe(`
    insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
      values ('Ada', 'Byron', '+45 12 34 56', 'a@example.com', 'a@example.com', 'TECHNICIAN', 'none');
    insert into asset (name, description) values ('Pump', '');
    insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
      select '2026-01-01', 'PENDING', 'ERROR', repeat(E'\\x01', 2000), 1, 1 from generate_series(1, 400)`);
  await owner.unsafe("analyze");

  for (const asked of [[7], [7, 8, 399], [100_000]]) {
    test(`reads no other log than the ones asked for: ${asked}`, async () => {
      const { database, sent } = recording(opened.connect());
      const { records } = makeRepositories(database).trail;
      await Promise.all(asked.map(id => records.entryOfLog(id)));
      const statement = sent.at(-1) ?? assert.fail();
      assert.equal(
        rowsRead(await explain(owner, statement), ["maintenance_log"]),
        asked.filter(id => id <= 400).length,
      );
    });
  }
});
