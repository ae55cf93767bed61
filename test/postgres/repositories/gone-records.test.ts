import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { script } from "../../../src/adapters/postgres/connection/statement.ts";
import { all } from "../../contract/repositories.ts";
import { openDatabase } from "../../support/database.ts";
import { stocked } from "../../support/stocked.ts";
import { aLog } from "../../support/test-records.ts";

test("a log is shown also when a superuser has got past the guards and removed its asset and performer", async () => {
  await using opened = await openDatabase();
  const database = opened.connect(commandLimits);
  const { maintenanceLogs, performer, asset } = await stocked(database);
  const { log } = await maintenanceLogs.append(asset.id, performer, aLog());
  for (const table of ["asset", "employee"]) {
    await database.query(script(`alter table ${table} disable trigger all; delete from ${table}`));
  }
  const shown = { ...log, assetName: "", performedByName: "" };
  assert.deepEqual({ ...(await maintenanceLogs.find(log.id)) }, shown);
  for (const list of [
    maintenanceLogs.list({}),
    maintenanceLogs.listOfAsset(asset.id, {}),
    maintenanceLogs.listOfPerformer(performer.employeeId, {}),
  ]) {
    assert.deepEqual(await all(list), [shown]);
  }
});

test("a list is refused when the owner of the tables has added a status, not shown with another status", async () => {
  await using opened = await openDatabase();
  const database = opened.connect(commandLimits);
  const { maintenanceLogs, performer, asset } = await stocked(database);
  await maintenanceLogs.append(asset.id, performer, aLog());
  await database.query(script("alter type log_status add value 'POSTPONED'"));
  await database.query(
    script(`
      insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
      select performed_date, 'POSTPONED', task_type, comment, asset_id, performed_by_employee_id from maintenance_log`),
  );
  await assert.rejects(all(maintenanceLogs.list({})), RangeError);
});
