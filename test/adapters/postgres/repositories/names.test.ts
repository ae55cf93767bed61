import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { connect, type Database } from "../../../../src/adapters/postgres/connection/database.ts";
import { makeSharedNames, type Names } from "../../../../src/adapters/postgres/repositories/names.ts";
import { makeRepositories } from "../../../../src/adapters/postgres/repositories/repositories.ts";
import { elementsOf } from "../../../../src/application/json-list.ts";
import type { MaintenanceLog } from "../../../../src/domain/maintenance-log.ts";
import { aLog, anAsset, anEmployee } from "../../../contract/repositories.ts";
import { byOperator, callerOf } from "../../../support/by-operator.ts";
import { openDatabase, type TestDatabase } from "../../../support/database.ts";
import { recording } from "../../../support/recording-database.ts";
import { until } from "../../../support/until.ts";

describe("names in lists of logs", () => {
  let opened: TestDatabase;
  let database: Database;
  before(async () => {
    opened = await openDatabase();
    database = connect(opened.url);
  });
  after(async () => {
    await database.close();
    await opened.drop();
  });

  let time = 0;
  beforeEach(() => {
    time = 0;
  });

  const nameless = (assets: readonly number[], performers: readonly number[]) => ({
    assets: new Set(assets),
    performers: new Set(performers),
  });
  const textOf = (names: Names["assets"], id: number) => Buffer.from(names.get(id) ?? []).toString();

  test("that are missing are read with one statement for all who miss some", async () => {
    const { assets, employees } = byOperator(makeRepositories(database));
    const asset = await assets.insert(anAsset({ name: 'A "pump"' }));
    const performer = await employees.insert(anEmployee({ firstName: "Grace", lastName: "Hopper" }));
    const { database: recorded, sent } = recording(database);
    const shared = makeSharedNames(recorded, () => time);
    const names = shared.known();
    await Promise.all([
      shared.read(names, nameless([asset.id], [])),
      shared.read(names, nameless([asset.id, 2 ** 40], [performer.id])),
      shared.read(names, nameless([], [2 ** 40])),
    ]);
    assert.equal(sent.length, 1);
    assert.equal(textOf(names.assets, asset.id), `","assetId":${asset.id},"assetName":"A \\"pump\\""`);
    assert.match(textOf(names.performers, performer.id), /"performedByName":"Grace Hopper"}$/);
    // The log of a record that is gone is shown without its name.
    assert.match(textOf(names.assets, 2 ** 40), /"assetName":""$/);
    assert.match(textOf(names.performers, 2 ** 40), /"performedByName":""}$/);
  });

  test("are used for half a second, and no more than ten thousand of them", async () => {
    const shared = makeSharedNames(database, () => time);
    const names = shared.known();
    time = 500;
    assert.equal(shared.known(), names);
    time = 501;
    const others = shared.known();
    assert.notEqual(others, names);
    for (let id = 1; id <= 10_000; id += 1) others.assets.set(id, new Uint8Array());
    assert.equal(shared.known(), others);
    others.performers.set(1, new Uint8Array());
    assert.notEqual(shared.known(), others);
  });

  test("that are read while they change are not kept", async () => {
    const shared = makeSharedNames(database, () => time);
    const before = shared.known();
    const reading = shared.read(before, nameless([], [1]));
    shared.forget();
    await reading;
    assert.equal(before.performers.size, 1);
    assert.equal(shared.known().performers.size, 0);
  });

  test("are those of the moment after a change by this process, and soon after one by another", async () => {
    const [here, there] = [makeRepositories(database), makeRepositories(database)];
    const { assets, employees } = byOperator(here);
    const asset = await assets.insert(anAsset());
    const employee = await employees.insert(anEmployee({ firstName: "Ada", lastName: "Byron" }));
    await here.maintenanceLogs.append(asset.id, callerOf(employee), aLog());
    const nameIn = async ({ maintenanceLogs }: typeof here): Promise<string | undefined> => {
      for await (const piece of maintenanceLogs.listOfAsset(asset.id, {})) {
        return elementsOf<MaintenanceLog>(piece)[0]?.performedByName;
      }
      return undefined;
    };
    assert.deepEqual([await nameIn(here), await nameIn(there)], ["Ada Byron", "Ada Byron"]);
    const unchanged = { firstName: undefined, phone: undefined, email: undefined, role: undefined };
    await employees.update(employee.id, { ...unchanged, lastName: "Lovelace" }, ["TECHNICIAN"]);
    assert.equal(await nameIn(here), "Ada Lovelace");
    await until(async () => (await nameIn(there)) === "Ada Lovelace");
  });
});
