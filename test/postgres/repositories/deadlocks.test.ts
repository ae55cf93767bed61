import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { roles } from "../../../src/domain/role.ts";
import { byAdmin, callerOf } from "../../support/by-admin.ts";
import { openDatabase, untilWaiting } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { stocked } from "../../support/stocked.ts";
import { aLog, anAsset, anEmployee, noChange } from "../../support/test-records.ts";

const longerThanAStatement = "60s";
const noUsers = "the embedded database has one session for everybody";

describe("logs that are written in one statement", async () => {
  const opened = await shared(openDatabase());

  /**
   * Two services with a performer and two assets, and somebody else with a transaction of their own.
   *
   * @param deadlockTimeout after which PostgreSQL finds a deadlock in a statement of the services
   */
  async function openServices(deadlockTimeout: string) {
    const stranger = opened.session();
    await stranger.unsafe(`alter database ${opened.name} set deadlock_timeout = '${deadlockTimeout}'`);
    const one = await stocked(opened.connect());
    const other = byAdmin(makeRepositories(opened.connect()));
    const { performer, asset: first } = one;
    const second = await one.assets.insert(anAsset());
    await stranger`set deadlock_timeout = '60s'`;
    return { one, other, performer, first, second, stranger };
  }

  test("are written by two services that repeat keys in different orders", async t => {
    if (!opened.hasUsers) return t.skip(noUsers);
    const { one, other, performer, first, stranger } = await openServices(longerThanAStatement);
    const send = (
      { maintenanceLogs }: Pick<typeof one, "maintenanceLogs">,
      keys: readonly (string | undefined)[],
    ) => Promise.all(keys.map(key => maintenanceLogs.append(first.id, performer, aLog(), key)));
    // Both statements stop in the middle until this transaction ends.
    await stranger`begin`;
    await stranger`
      insert into maintenance_log
        (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, performed_by_name,
          idempotency_key)
      values (now(), 'PENDING', 'ERROR', '', ${first.id}, ${performer.employeeId}, '', 'm')`;
    const written = [send(one, ["a", "m", undefined, "z"]), send(other, ["z", "m", undefined, "a"])] as const;
    await untilWaiting(stranger, 2);
    await stranger`rollback`;
    const [those, these] = await Promise.all(written);
    const idOf = ({ log }: { readonly log: { readonly id: number } }) => log.id;
    assert.deepEqual(
      [0, 1, 3].map(i => those.map(idOf)[i]),
      [3, 1, 0].map(i => these.map(idOf)[i]),
    );
    assert.equal(new Set([...those, ...these].map(idOf)).size, 5);
  });

  test("are tried again one by one when a deadlock with others has undone them all", async t => {
    if (!opened.hasUsers) return t.skip(noUsers);
    const { one, performer, first, second, stranger } = await openServices("100ms");
    await stranger`begin`;
    await stranger`select id from asset where id = ${second.id} for update`;
    const written = [first, second].map(({ id }) => one.maintenanceLogs.append(id, performer, aLog()));
    await untilWaiting(stranger);
    await stranger`select id from asset where id = ${first.id} for update`;
    await stranger`commit`;
    const logs = await Promise.all(written);
    assert.deepEqual(
      logs.map(({ log }) => log.assetId),
      [first.id, second.id],
    );
  });
});

describe("two employees who change each other at the same time", async () => {
  const opened = await shared(openDatabase());

  test("do not wait for each other's locks", async t => {
    if (!opened.hasUsers) return t.skip(noUsers);
    const stranger = opened.session();
    await stranger.unsafe(`alter database ${opened.name} set deadlock_timeout = '100ms'`);
    const { employees } = makeRepositories(opened.connect());
    const [first, second] = [
      await employees.appointAdmin(anEmployee()),
      await employees.appointAdmin(anEmployee()),
    ];
    // Each statement writes its row, and then waits for this lock before its trigger refers to the other row.
    await stranger`begin`;
    await stranger`lock table employee_event in share mode`;
    const changes = [
      employees.update(second.id, { ...noChange, role: "MANAGER" }, roles, callerOf(first)),
      employees.update(first.id, { ...noChange, role: "MANAGER" }, roles, callerOf(second)),
    ];
    await untilWaiting(stranger, 2);
    await stranger`commit`;
    assert.deepEqual(
      (await Promise.all(changes)).map(({ employee }) => employee.role),
      ["MANAGER", "MANAGER"],
    );
  });
});
