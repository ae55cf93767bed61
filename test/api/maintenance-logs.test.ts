import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { forge, goodClaims } from "../support/forge.ts";
import { aLog, anAsset, aStoredLog } from "../support/test-records.ts";
import { api, describeInWorlds } from "../support/world.ts";

/** What somebody sends, be it wrong. */
const sent = (changes: Readonly<Record<string, unknown>>) => ({ ...aLog(), ...changes });

describeInWorlds("maintenance logs", async world => {
  const { id: assetId } = await world.ports.assets.insert(anAsset({ name: "Boiler" }));

  const logsOf = (id: number | string) => `${api}/assets/${id}/logs`;
  const write = (body: unknown, token = world.tokens.TECHNICIAN, id: number | string = assetId) =>
    world.call("POST", logsOf(id), { token, body });
  const get = (path: string, token = world.tokens.TECHNICIAN) => world.call("GET", path, { token });
  const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

  test("a written log names its asset and its performer, who is the caller", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const forged = { performedByEmployeeId: 1, performedByUserId: 1, id: 1, assetId: 999 };
    const { status, json } = await write({ ...aLog(), ...forged }, token);
    const expected = aStoredLog({
      id: json.id,
      assetId,
      assetName: "Boiler",
      performedByEmployeeId: employee.id,
    });
    assert.deepEqual([status, json], [201, expected]);
    const found = await get(`${api}/logs/${json.id}`);
    assert.deepEqual([found.status, found.json], [200, expected]);
  });

  test("a comment may be empty, and is stored as sent", async () => {
    for (const comment of ["", "  ", " ’quoted’ 𝄞\r\n\t\u0001 ", "x".repeat(10_000), "𝄞".repeat(10_000)]) {
      const { status, json } = await write(aLog({ comment }));
      assert.equal(status, 201);
      assert.equal((await get(`${api}/logs/${json.id}`)).json.comment, comment);
    }
  });

  test("the body is checked before it is known whether the asset exists", async () => {
    const { json } = await write(sent({ status: "x" }), world.tokens.TECHNICIAN, 999_999);
    assert.equal(json.msg, "Invalid status value");
  });

  test("create-log is 401 without an employee behind the token, 403 with a known one of no role", async () => {
    const claims = goodClaims(world.employees.ADMIN.email, "ADMIN", world.clock.now());
    for (const [changes, status, msg] of [
      [{ username: undefined }, 401, "No user was added from the token"],
      [{ username: undefined, roles: [] }, 401, "No user was added from the token"],
      [{ username: "nobody@example.com" }, 401, "No employee matches the token"],
      [{ roles: ["BOSS"] }, 403, "No user was added from the token"],
      [{ sub: String(world.employees.MANAGER.id) }, 403, "Token is not valid"],
    ] as const) {
      const answer = await write(aLog(), forge({ ...claims, ...changes }));
      assert.deepEqual([answer.status, answer.json], [status, { status, msg }], JSON.stringify(changes));
    }
  });

  describe("with an Idempotency-Key", () => {
    const send = (key: string, body: unknown, id: number | string = assetId) =>
      world.call("POST", logsOf(id), {
        token: world.tokens.TECHNICIAN,
        body,
        headers: { "idempotency-key": key },
      });

    test("the same request again answers the first 201, and writes nothing", async () => {
      const body = aLog({ performedDate: "2026-02-28T10:20", comment: "once" });
      const first = await send("key-1", body);
      assert.deepEqual([first.status, first.headers.get("idempotent-replayed")], [201, null]);
      const again = await send("key-1", aLog({ performedDate: "2026-02-28T10:20:00.000", comment: "once" }));
      assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"]);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get("location"), first.headers.get("location"));
      const logs = (await get(logsOf(assetId))).json;
      assert.equal(logs.filter(({ comment }: { comment: string }) => comment === "once").length, 1);
    });

    test("the same key with another request is 422", async () => {
      await send("key-2", aLog());
      const answer = await send("key-2", aLog({ comment: "another" }));
      const reused = { status: 422, msg: "Idempotency-Key was used for another log" };
      assert.deepEqual([answer.status, answer.json], [422, reused]);
    });

    test("X-Idempotency-Key in its place is 400 with the right name, and writes nothing", async () => {
      const sent = (headers: Record<string, string>) =>
        world.call("POST", logsOf(assetId), { token: world.tokens.TECHNICIAN, body: aLog(), headers });
      const before = (await get(logsOf(assetId))).json.length;
      const answer = await sent({ "x-idempotency-key": "key-3" });
      const msg = "Misspelled header field: write Idempotency-Key";
      assert.deepEqual([answer.status, answer.json], [400, { status: 400, msg }]);
      assert.equal((await get(logsOf(assetId))).json.length, before);
      assert.equal((await sent({ "x-idempotency-key": "key-4", "idempotency-key": "key-3" })).status, 201);
    });
  });

  test("active-assets answers the newest logs of the assets that are active now, ten by default", async () => {
    const { id } = await world.ports.assets.insert(anAsset({ name: "Lift" }));
    const written: number[] = [];
    for (let minute = 10; minute < 22; minute += 1) {
      const body = aLog({ performedDate: `9000-01-01T00:${minute}` });
      written.unshift((await write(body, world.tokens.TECHNICIAN, id)).json.id);
    }
    const newest = async (query: string) => {
      const { status, headers, json } = await get(`${api}/logs/active-assets${query}`);
      assert.deepEqual([status, headers.get("link")], [200, null]);
      return idsOf(json);
    };
    assert.deepEqual(await newest(""), written.slice(0, 10));
    assert.deepEqual(await newest("?limit=1"), written.slice(0, 1));
    for (const limit of ["1001", "9".repeat(400)])
      assert.deepEqual((await newest(`?limit=${limit}`)).slice(0, 12), written);
    assert.deepEqual(await newest("?limit=3&before=whatever"), written.slice(0, 3));
    await world.call("DELETE", `${api}/assets/${id}`, { token: world.tokens.ADMIN });
    const others = await newest("?limit=1000");
    assert.ok(others.length > 0 && written.every(log => !others.includes(log)));
  });
});
