import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { byAdmin } from "../../support/by-admin.ts";
import { openDatabase, untilWaiting } from "../../support/database.ts";
import { anEmployee, noChange } from "../../support/test-records.ts";

test("a change that waits for a promotion is refused by the new role", async t => {
  await using opened = await openDatabase();
  if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
  const other = opened.session({ max: 2 });
  const { employees } = byAdmin(makeRepositories(opened.connect()));
  const { id } = await employees.insert(anEmployee());
  const changes = { ...noChange, firstName: "Mary" };
  const changed = await other.begin(async promoting => {
    await promoting`update employee set role = 'ADMIN' where id = ${id}`;
    const change = employees.update(id, changes, ["TECHNICIAN", "MANAGER"]).then(
      () => "changed",
      (error: { code: string }) => error.code,
    );
    await untilWaiting(other);
    return { change };
  });
  assert.equal(await changed.change, "FORBIDDEN");
  assert.notEqual((await employees.find(id)).firstName, "Mary");
});
