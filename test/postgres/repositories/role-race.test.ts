import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { connect } from "../../../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { byOperator } from "../../support/by-operator.ts";
import { openDatabase } from "../../support/database.ts";
import { anEmployee, noChange } from "../../support/test-records.ts";
import { until } from "../../support/until.ts";

test("a change that waits for a promotion is refused by the new role", async t => {
  const opened = await openDatabase();
  const [database, other] = [connect(opened.url), postgres(opened.url, { max: 2, onnotice: () => {} })];
  t.after(async () => {
    await Promise.all([other.end({ timeout: 1 }), database.close()]);
    await opened.drop();
  });
  if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
  const { employees } = byOperator(makeRepositories(database));
  const { id } = await employees.insert(anEmployee());
  const changes = { ...noChange, firstName: "Mary" };
  const changed = await other.begin(async promoting => {
    await promoting`update employee set role = 'ADMIN' where id = ${id}`;
    const change = employees.update(id, changes, ["TECHNICIAN", "MANAGER"]).then(
      () => "changed",
      (error: { code: string }) => error.code,
    );
    await until(async () => (await other`select from pg_locks where not granted`).length > 0);
    return { change };
  });
  assert.equal(await changed.change, "FORBIDDEN");
  assert.notEqual((await employees.find(id)).firstName, "Mary");
});
