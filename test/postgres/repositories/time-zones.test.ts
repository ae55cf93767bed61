import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { all } from "../../contract/repositories.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { stocked } from "../../support/stocked.ts";
import { aLog } from "../../support/test-records.ts";

describe("the performed date of a log", async () => {
  const { TZ } = process.env;
  const opened = await shared(openDatabase());
  await opened.session().unsafe(`alter database ${opened.name} set timezone = 'America/New_York'`);
  after(() => {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  });

  for (const zone of ["Europe/Berlin", "Asia/Kathmandu", "UTC"]) {
    test(`is shown as it was sent by a process in ${zone}`, async () => {
      process.env["TZ"] = zone;
      const { assets, maintenanceLogs, performer, asset } = await stocked(opened.connect());
      // Within an hour that Berlin, or New York, has skipped; and far from any other.
      for (const performedDate of [
        "2026-03-08T02:30:00",
        "2026-03-29T02:30:00.000001",
        "0001-01-01T00:00:00",
        "9999-12-31T23:59:59.999999",
      ]) {
        const { log } = await maintenanceLogs.append(asset.id, performer, aLog({ performedDate }));
        assert.equal(log.performedDate, performedDate);
        assert.equal((await maintenanceLogs.find(log.id)).performedDate, performedDate);
        const [newest] = await all(maintenanceLogs.listOfAsset(asset.id, { limit: 1 }));
        assert.equal(newest?.performedDate, (await assets.find(asset.id)).lastLogDate);
        assert.ok((await all(maintenanceLogs.list({}))).some(shown => shown.performedDate === performedDate));
      }
    });
  }
});
