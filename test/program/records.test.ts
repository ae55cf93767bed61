import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recordSchemas } from "../../dev/api-docs/openapi/record-schemas.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { elementsOf, type JsonList } from "../../src/application/json-list.ts";
import { columns as exported } from "../../src/commands/export-logs.ts";
import { roles } from "../../src/domain/role.ts";
import { callerOf } from "../support/by-admin.ts";
import { openDatabase, schema } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { recording } from "../support/recording-database.ts";
import { aLog, aRegistration } from "../support/test-records.ts";
import { api, openWorld } from "../support/world.ts";

const fieldsOf = (record: keyof typeof recordSchemas): string[] =>
  Object.keys(recordSchemas[record].properties);

const names = (list: string): string[] => list.split(",").map(name => name.trim());

/** A record's fields are named in several places. They must all name the same, in the same order. */
describe("the description of a record", async () => {
  const database = await shared(openDatabase());
  const sql = database.session();
  const repositories = makeRepositories(database.connect());
  const world = await shared(openWorld({ repositories }));

  const keysOf = async (path: string, body?: object): Promise<string[]> => {
    const method = body === undefined ? "GET" : "POST";
    const { json } = await world.call(method, api + path, { token: world.tokens.ADMIN, body });
    return Object.keys(Array.isArray(json) ? json[0] : json);
  };

  test("is the same in every answer that has an employee", async () => {
    assert.deepEqual(await keysOf("/auth/register", aRegistration()), fieldsOf("Employee"));
    for (const path of ["/employees", "/employees/1", "/employees/me"]) {
      assert.deepEqual(await keysOf(path), fieldsOf("Employee"), path);
    }
  });

  test("is the same in every answer that has an asset or a log", async () => {
    assert.deepEqual(await keysOf("/assets", { name: "Pump 7" }), fieldsOf("Asset"));
    assert.deepEqual(await keysOf("/assets/1/logs", aLog()), fieldsOf("MaintenanceLog"));
    for (const path of ["/assets", "/assets/1"])
      assert.deepEqual(await keysOf(path), fieldsOf("Asset"), path);
    const { id } = world.employees.ADMIN;
    for (const path of [
      "/logs",
      "/logs?limit=1",
      "/logs/1",
      "/assets/1/logs",
      `/logs/employee/${id}`,
      "/logs/active-assets",
    ]) {
      assert.deepEqual(await keysOf(path), fieldsOf("MaintenanceLog"), path);
    }
  });

  test("is the same in an export", async () => {
    assert.deepEqual(exported, fieldsOf("MaintenanceLog"));
    const list: JsonList<object> = repositories.maintenanceLogs.list({});
    for await (const chunk of list) assert.deepEqual(Object.keys(elementsOf(chunk)[0] ?? {}), [...exported]);
  });

  const columnsOf = async (table: string): Promise<string[]> =>
    (
      await sql<{ name: string }[]>`
      select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = ${table} order by ordinal_position`
    ).map(({ name }) => name);

  const granted = (privilege: string, table: string): string[] =>
    schema.rights
      .filter(({ name, place }) => name === privilege && place === table)
      .flatMap(({ definition }) => definition.split(" "));

  test("every column of a log is written by the append or by the database, and the service may write just these", async () => {
    const { database: recorded, sent } = recording(database.connect());
    await makeRepositories(recorded).maintenanceLogs.append(1, callerOf(world.employees.ADMIN), aLog());
    const [, inserted = ""] =
      /insert into maintenance_log\s*\(([^)]+)\)/.exec(sent.map(({ text }) => text).join()) ?? [];
    assert.deepEqual(names(inserted).sort(), granted("insert", "maintenance_log").sort());
    const byDatabase = ["recorded_at"];
    assert.deepEqual([...names(inserted), ...byDatabase].sort(), (await columnsOf("maintenance_log")).sort());
  });

  test("the columns that the service may change are those that its statements change", async () => {
    const { database: recorded, sent } = recording(database.connect());
    const { employees, assets } = makeRepositories(recorded);
    const [nobody, by] = [999_999, callerOf({ id: 999_999, email: "nobody@example.com" })];
    await Promise.allSettled([
      employees.update(nobody, aRegistration(), roles, by),
      employees.setActive(nobody, true, by),
      employees.replacePasswordHash("a", "b", by),
      employees.setPasswordHash(nobody, "b"),
      assets.setActive(nobody, true, by),
    ]);
    for (const table of ["employee", "asset"]) {
      const statements = sent.flatMap(({ text }) => [
        ...text.matchAll(new RegExp(`update ${table} set([^;]*?)\\bwhere\\b`, "g")),
      ]);
      const changed = statements.flatMap(([, assignments = ""]) =>
        [...assignments.matchAll(/(?:^|,)\s*(\w+) = /g)].map(([, column = ""]) => column),
      );
      assert.deepEqual([...new Set(changed)].sort(), granted("update", table).sort(), table);
    }
  });
});
