import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import postgres from "postgres";
import { connect } from "../../../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { openDatabase, type TestDatabase } from "../../support/database.ts";
import { planOf, recording } from "../../support/recording-database.ts";

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly Plan[];
}

const rowsOfLogs = (plan: Plan): number =>
  (plan["Relation Name"] === "maintenance_log" ? plan["Actual Rows"] * plan["Actual Loops"] : 0) +
  (plan.Plans ?? []).reduce((sum, inner) => sum + rowsOfLogs(inner), 0);

// On a small table PostgreSQL would rather hash all of it than look up a few rows: rendering long comments then takes seconds.
describe("the entry of a log, on a small table of long comments", () => {
  let opened: TestDatabase;
  let owner: postgres.Sql;
  before(async () => {
    opened = await openDatabase();
    owner = postgres(opened.url, { max: 1, fetch_types: false });
    await owner.unsafe(`
      insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
        values ('Ada', 'Byron', '+45 12 34 56', 'a@example.com', 'a@example.com', 'TECHNICIAN', 'none');
      insert into asset (name, description) values ('Pump', '');
      insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
        select '2026-01-01', 'PENDING', 'ERROR', repeat(E'\\x01', 2000), 1, 1 from generate_series(1, 400)`);
    await owner.unsafe("analyze");
  });
  after(async () => {
    await owner.end();
    await opened.drop();
  });

  for (const asked of [[7], [7, 8, 399], [100_000]]) {
    test(`reads no other log than the ones asked for: ${asked}`, async () => {
      const { database, sent } = recording(connect(opened.url));
      const { records } = makeRepositories(database).trail;
      await Promise.all(asked.map(id => records.entryOfLog(id)));
      await database.close();
      const statement = sent.at(-1) ?? assert.fail();
      const [row] = await owner.unsafe(`explain (analyze, format json) ${statement.text}`, [
        ...statement.values,
      ] as string[]);
      const [{ Plan: plan }] = planOf(row) as [{ Plan: Plan }];
      assert.equal(rowsOfLogs(plan), asked.filter(id => id <= 400).length);
    });
  }
});
