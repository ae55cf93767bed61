import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { columnOf } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { assetProperties } from "../../../src/domain/asset.ts";
import { employeeProperties } from "../../../src/domain/employee.ts";
import { partOf, type Type } from "../../../src/domain/record.ts";
import { entryFields } from "../../../src/domain/trail/entry.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { othersThan } from "../../support/other-values.ts";
import { allIds, endAt } from "../../support/trail-stage.ts";

/** The table of a kind, what is declared of its rows, and how a change of one is named. */
const tables: readonly (readonly [string, string, Readonly<Record<string, Type<unknown>>>, string])[] = [
  ["log", "maintenance_log", entryFields.log, "changed"],
  ["employee", "employee_event", entryFields.employee, "changed"],
  ["asset", "asset_event", entryFields.asset, "changed"],
  ["employee", "employee", partOf(employeeProperties, "recorded"), "changed without a record"],
  ["asset", "asset", partOf(assetProperties, "recorded"), "changed without a record"],
];

describe("a record of which the owner of the tables has changed one field", async () => {
  const opened = await shared(openDatabase());
  const database = opened.connect();
  const owner = opened.session();
  await owner.unsafe(`
    select setval('employee_event_id_seq', 100), setval('asset_event_id_seq', 200);
    insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
      values ('Ada', 'Byron', '123456', 'a', 'a', 'TECHNICIAN', 'x'), ('Grace', 'Hopper', '123456', 'g', 'g', 'MANAGER', 'x');
    insert into asset (name, description) values ('Pump', ''), ('Crane', '');
    insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, performed_by_name)
      values ('2026-01-01', 'PENDING', 'ERROR', '', 1, 1, 'Ada Byron')`);
  await makeRepositories(database).trail.ledger.number(endAt(0), allIds, 10);
  for (const [, table] of tables) await owner.unsafe(`alter table ${table} disable trigger all`);
  for (const kind of ["employee", "asset"])
    await owner.unsafe(`alter table ${kind}_event alter recorded_at drop not null`);

  async function findings(): Promise<string[]> {
    const found: string[] = [];
    for await (const finding of makeRepositories(database).trail.records.differences()) found.push(finding);
    return found;
  }

  for (const [kind, table, fields, what] of tables) {
    const first = `id = (select min(id) from ${table})`;
    // Another id is another record: the one that had it is gone.
    const { kind: _, id: __, ...changing } = fields;
    for (const [name, type] of Object.entries(changing)) {
      const column = columnOf(name).text;
      test(`is found: ${column} of ${table}`, async () => {
        assert.deepEqual(await findings(), []);
        const [kept] = await owner.unsafe(
          `select ${column}::text as text, quote_nullable(${column}::text) as value from ${table} where ${first}`,
        );
        for (const other of othersThan(kept?.["text"], column, type)) {
          await owner.unsafe(`update ${table} set ${column} = ${other} where ${first}`);
          const found = await findings();
          await owner.unsafe(`update ${table} set ${column} = ${kept?.["value"]} where ${first}`);
          assert.ok(
            found.some(finding => finding.startsWith(kind) && finding.endsWith(`: ${what}`)),
            `${other}: ${found.join("; ")}`,
          );
        }
      });
    }
  }

  for (const kind of ["employee", "asset"]) {
    test(`is found: whose record it is, of ${kind}_event`, async () => {
      await owner.unsafe(`update ${kind}_event set ${kind}_id = 2 where ${kind}_id = 1`);
      const found = await findings();
      await owner.unsafe(
        `update ${kind}_event set ${kind}_id = 1 where id = (select min(id) from ${kind}_event)`,
      );
      assert.ok(found.includes(`${kind} 2: changed`), found.join("; "));
      assert.deepEqual(await findings(), []);
    });
  }
});
