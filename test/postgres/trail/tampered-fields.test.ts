import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { everyId } from "../../support/trail-stage.ts";

/** Another value for each column that an entry, or the last record of an employee or asset, says. */
const changes = {
  maintenance_log: [
    "performed_date = performed_date + interval '1 microsecond'",
    "status = 'COMPLETED'",
    "task_type = 'MAINTENANCE'",
    "comment = comment || ' '",
    "asset_id = 2",
    "performed_by_employee_id = 2",
    "performed_by_name = 'Eve Hill'",
    "performed_by_name = null",
    "recorded_at = recorded_at + interval '1 microsecond'",
    "recorded_at = null",
  ],
  employee_event: [
    "employee_id = 2",
    "role = 'ADMIN'",
    "active = not active",
    "changed_by = 1",
    "recorded_at = recorded_at + interval '1 microsecond'",
  ],
  asset_event: [
    "asset_id = 2",
    "name = 'pump'",
    "description = ' '",
    "active = not active",
    "changed_by = 1",
    "recorded_at = recorded_at + interval '1 microsecond'",
  ],
  employee: ["role = 'ADMIN'", "active = not active"],
  asset: ["name = 'pump'", "description = ' '", "active = not active"],
} as const;

describe("a record of which the owner of the tables has changed one field", async () => {
  const opened = await shared(openDatabase());
  const database = opened.connect();
  const owner = opened.session();
  await owner.unsafe(`
    insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
      values ('Ada', 'Byron', '123456', 'a', 'a', 'TECHNICIAN', 'x'), ('Grace', 'Hopper', '123456', 'g', 'g', 'MANAGER', 'x');
    insert into asset (name, description) values ('Pump', ''), ('Crane', '');
    insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, performed_by_name)
      values ('2026-01-01', 'PENDING', 'ERROR', '', 1, 1, 'Ada Byron')`);
  const none = { employee: 0, asset: 0, log: 0 };
  await makeRepositories(database).trail.ledger.number(0, none, none, 10, everyId);
  for (const table of Object.keys(changes)) await owner.unsafe(`alter table ${table} disable trigger all`);

  async function findings(): Promise<string[]> {
    const found: string[] = [];
    for await (const finding of makeRepositories(database).trail.records.differences()) found.push(finding);
    return found;
  }

  for (const [table, assignments] of Object.entries(changes)) {
    const kind = table.replace("maintenance_", "").replace("_event", "");
    const what = table === kind ? "changed without a record" : "changed";
    for (const assignment of assignments) {
      test(`is found: ${table}: ${assignment}`, async () => {
        assert.deepEqual(await findings(), []);
        const column = assignment.split(" ", 1)[0] as string;
        const [kept] = await owner.unsafe(
          `select quote_nullable(${column}::text) as value from ${table} where id = 1`,
        );
        await owner.unsafe(`update ${table} set ${assignment} where id = 1`);
        const found = await findings();
        await owner.unsafe(`update ${table} set ${column} = ${kept?.["value"]} where id = 1`);
        assert.ok(
          found.some(finding => finding.startsWith(kind) && finding.endsWith(`: ${what}`)),
          found.join("; "),
        );
      });
    }
  }
});
