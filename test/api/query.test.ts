import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callerOf } from "../support/by-admin.ts";
import { shared } from "../support/left-open.ts";
import { aLog, anAsset } from "../support/test-records.ts";
import { api, openWorld } from "../support/world.ts";

/** What to use in place of a field that is no filter, and of what looks like one. Other fields have nothing in their place. */
const ofEmployees = { id: ": read /employees/{id}", isActive: ": write active" };
const ofAssets = { id: ": read /assets/{id}", isActive: ": write active" };
const ofLogs = {
  id: ": read /logs/{id}",
  performedDate: ": write performedFrom and performedTo",
  assetId: ": read /assets/{id}/logs",
  performedByEmployeeId: ": read /logs/employee/{id}",
};

describe("the query of a list", async () => {
  const world = await shared(openWorld());
  const { id } = await world.ports.assets.insert(anAsset());
  const { TECHNICIAN } = world.employees;
  const whole = `${api}/logs/active-assets`;
  const paged = [`${api}/logs`, `${api}/assets/${id}/logs`, `${api}/logs/employee/${TECHNICIAN.id}`];
  for (let i = 0; i < 2; i += 1) await world.ports.maintenanceLogs.append(id, callerOf(TECHNICIAN), aLog());

  const get = (path: string) => world.call("GET", path, { token: world.tokens.MANAGER });
  const assertRefused = async (path: string, msg: string) => {
    const { status, json } = await get(path);
    assert.deepEqual([status, json], [400, { status: 400, msg }], path);
  };

  test("with a near miss of a filter is 400, wherever the name is in it", async () => {
    for (const list of [...paged, whole]) {
      for (const name of [
        "Status",
        "status%20",
        "amp;status",
        "filters%5Bstatus%5D%5B%24eq%5D",
        "filter.status",
      ]) {
        await assertRefused(`${list}?${name}=PENDING`, "Misspelled query parameter: write status");
      }
    }
  });

  test("with a name by which others page is 400 where there are pages", async () => {
    for (const name of ["page", "offset", "skip", "cursor", "after"]) {
      for (const sent of [name, name.toUpperCase(), `${name}[size]`, `paging.${name}`]) {
        for (const list of paged) {
          const msg = `${name} is no parameter of this list: write limit, and follow the links`;
          await assertRefused(`${list}?limit=1&${sent}=2`, msg);
        }
        assert.equal((await get(`${whole}?limit=1&${sent}=2`)).status, 200);
        assert.equal((await get(`${api}/assets?${sent}=2`)).status, 200);
      }
    }
  });

  test("with a field of its records that is no filter is 400, and says what to read", async () => {
    const lists: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
      ...[...paged, whole].map(path => [path, ["status", "taskType"], ofLogs] as const),
      [`${api}/employees`, ["active"], ofEmployees] as const,
      [`${api}/assets`, ["active"], ofAssets] as const,
    ];
    for (const [list, filters, helps] of lists) {
      const names = Object.keys((await get(list)).json[0]).filter(name => !filters.includes(name));
      assert.ok(names.length > 2);
      for (const [name, help] of Object.entries({
        ...Object.fromEntries(names.map(name => [name, ""])),
        ...helps,
      })) {
        const snake = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
        for (const sent of [name, snake, `filter[${name}]`, `${name}.eq`]) {
          await assertRefused(`${list}?${sent}=5`, `${name} is no parameter of this list${help}`);
        }
      }
    }
  });

  test("may have other unknown names", async () => {
    for (const list of paged) {
      for (const name of ["utm_id", "pages", "status-page", "toString", "__proto__", "[]", ""]) {
        const { status, json } = await get(`${list}?${name}=x`);
        assert.deepEqual([status, json.length], [200, 2], name);
      }
    }
  });
});
