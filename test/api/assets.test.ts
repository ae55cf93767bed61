import assert from "node:assert/strict";
import { test } from "node:test";
import { switchActivity } from "../support/activity.ts";
import { api, describeInWorlds } from "../support/world.ts";

const assets = `${api}/assets`;

describeInWorlds("assets", world => {
  const create = (body: unknown) => world.call("POST", assets, { token: world.tokens.MANAGER, body });
  const get = (path: string) => world.call("GET", path, { token: world.tokens.TECHNICIAN });

  test("the list is by id, without log dates, and can be narrowed by activity", async () => {
    for (const active of [undefined, false]) await create({ name: "Pump", active });
    const { status, json: list } = await get(assets);
    assert.equal(status, 200);
    const ids = list.map(({ id }: { id: number }) => id);
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    assert.ok(list.every(({ lastLogDate }: { lastLogDate: unknown }) => lastLogDate === null));
    for (const active of [true, false]) {
      const narrowed = list.filter((asset: { active: boolean }) => asset.active === active);
      assert.ok(narrowed.length > 0);
      assert.deepEqual((await get(`${assets}?active=${active}`)).json, narrowed);
    }
    assert.deepEqual((await get(`${assets}?other=1&other=2`)).json, list);
  });

  test("activation and deactivation answer 204 without a body, twice as well as once", async () => {
    const { id } = (await create({ name: "Pump" })).json;
    await switchActivity(world, `${assets}/${id}`, async () => (await get(`${assets}/${id}`)).json.active);
  });

  test("the log date is that of the asset's newest log", async () => {
    const { id } = (await create({ name: "Pump" })).json;
    const rest = { status: "PENDING", taskType: "ERROR", comment: "" };
    for (const performedDate of ["2026-03-29T02:30", "2025-01-01T00:00"]) {
      const body = { performedDate, ...rest };
      await world.call("POST", `${assets}/${id}/logs`, { token: world.tokens.TECHNICIAN, body });
    }
    assert.equal((await get(`${assets}/${id}`)).json.lastLogDate, "2026-03-29T02:30:00");
  });
});
