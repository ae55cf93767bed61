import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { type Names, SharedNames } from "../../../src/adapters/postgres/repositories/names.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { elementsOf } from "../../../src/application/json-list.ts";
import type { MaintenanceLog } from "../../../src/domain/maintenance-log.ts";
import { byAdmin, callerOf } from "../../support/by-admin.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { recording } from "../../support/recording-database.ts";
import { aLog, anAsset, anEmployee, noChange } from "../../support/test-records.ts";
import { until } from "../../support/until.ts";

describe("names in lists of logs", async () => {
  const database = (await shared(openDatabase())).connect();

  let time = 0;
  beforeEach(() => {
    time = 0;
  });

  const idsOf = (assets: readonly number[], performers: readonly number[]) => ({
    assets: new Set(assets),
    performers: new Set(performers),
  });
  const recordedNames = () => {
    const { database: recorded, sent } = recording(database);
    return { names: new SharedNames(recorded, () => time), sent };
  };
  const textOf = (names: Names["assets"], id: number) => Buffer.from(names.get(id) ?? []).toString();

  test("that are missing are read with one statement for all who miss some", async () => {
    const { assets, employees } = byAdmin(makeRepositories(database));
    const asset = await assets.insert(anAsset({ name: 'A "pump"' }));
    const performer = await employees.insert(anEmployee({ firstName: "Grace", lastName: "Hopper" }));
    const { names, sent } = recordedNames();
    const [, found] = await Promise.all([
      names.of(idsOf([asset.id], [])),
      names.of(idsOf([asset.id, 2 ** 40], [performer.id])),
      names.of(idsOf([], [2 ** 40])),
    ]);
    await names.of(idsOf([asset.id, 2 ** 40], [performer.id, 2 ** 40]));
    assert.equal(sent.length, 1);
    assert.equal(textOf(found.assets, asset.id), `","assetId":${asset.id},"assetName":"A \\"pump\\""`);
    assert.match(textOf(found.performers, performer.id), /"performedByName":"Grace Hopper"}$/);
    // The log of a record that is gone is shown without its name.
    assert.match(textOf(found.assets, 2 ** 40), /"assetName":""$/);
    assert.match(textOf(found.performers, 2 ** 40), /"performedByName":""}$/);
  });

  test("that cannot be read are read again by the next list", async () => {
    const { assets } = byAdmin(makeRepositories(database));
    const asset = await assets.insert(anAsset({ name: "Pump" }));
    let isGarbled = true;
    const names = new SharedNames({
      query: async source => {
        const rows = await database.query<never>(source);
        return isGarbled ? [undefined as never, ...rows] : rows;
      },
    });
    await assert.rejects(names.of(idsOf([asset.id], [])), TypeError);
    isGarbled = false;
    const found = await names.of(idsOf([asset.id], []));
    assert.match(textOf(found.assets, asset.id), /"assetName":"Pump"$/);
  });

  test("that are given are not read, and not kept for other lists", async () => {
    const { names, sent } = recordedNames();
    const given = { assets: new Map([[1, Buffer.from("given")]]) };
    assert.equal(textOf((await names.of(idsOf([1], []), given)).assets, 1), "given");
    assert.equal(sent.length, 0);
    assert.notEqual(textOf((await names.of(idsOf([1], []))).assets, 1), "given");
    assert.equal(sent.length, 1);
  });

  test("are used for half a second, and no more than ten thousand of them", async () => {
    const { names, sent } = recordedNames();
    const statementsFor = async (assets: readonly number[], performers: readonly number[] = []) => {
      const before = sent.length;
      await names.of(idsOf(assets, performers));
      return sent.length - before;
    };
    assert.deepEqual([await statementsFor([1]), await statementsFor([1])], [1, 0]);
    time = 500;
    assert.equal(await statementsFor([1]), 0);
    time = 501;
    assert.deepEqual([await statementsFor([1]), await statementsFor([1])], [1, 0]);
    const many = Array.from({ length: 10_000 }, (_, i) => i + 1);
    assert.deepEqual([await statementsFor(many), await statementsFor([1])], [1, 0]);
    assert.deepEqual([await statementsFor([], [1]), await statementsFor([1])], [1, 1]);
  });

  test("that are read while they change are not kept", async () => {
    const { names, sent } = recordedNames();
    const reading = names.of(idsOf([], [1]));
    names.forget();
    assert.equal((await reading).performers.size, 1);
    await names.of(idsOf([], [1]));
    assert.equal(sent.length, 2);
  });

  test("are those of the moment after a change by this process, and soon after one by another", async () => {
    const [here, there] = [makeRepositories(database), makeRepositories(database)];
    const { assets, employees } = byAdmin(here);
    const asset = await assets.insert(anAsset());
    const employee = await employees.insert(anEmployee({ firstName: "Ada", lastName: "Byron" }));
    await here.maintenanceLogs.append(asset.id, callerOf(employee), aLog());
    const nameIn = async ({ maintenanceLogs }: typeof here): Promise<string | undefined> => {
      for await (const chunk of maintenanceLogs.listOfAsset(asset.id, {})) {
        return elementsOf<MaintenanceLog>(chunk)[0]?.performedByName;
      }
      return undefined;
    };
    assert.deepEqual([await nameIn(here), await nameIn(there)], ["Ada Byron", "Ada Byron"]);
    await employees.update(employee.id, { ...noChange, lastName: "Lovelace" }, ["TECHNICIAN"]);
    assert.equal(await nameIn(here), "Ada Lovelace");
    await until(async () => (await nameIn(there)) === "Ada Lovelace");
  });
});
