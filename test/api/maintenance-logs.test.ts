import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { forge, goodClaims } from "../support/forge.ts";
import { aLog, anAsset, aStoredLog } from "../support/test-records.ts";
import { api, type World, worlds } from "../support/world.ts";

/** What somebody sends, be it wrong. */
const sent = (changes: Readonly<Record<string, unknown>>) => ({ ...aLog(), ...changes });

for (const { name, open } of worlds) {
  describe(`maintenance logs ${name}`, () => {
    let world: World;
    let assetId: number;
    before(async () => {
      world = await open();
      assetId = (await world.ports.assets.insert(anAsset({ name: "Boiler" }))).id;
    });
    after(() => world.close());

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

    for (const [performedDate, shown] of [
      ["2026-02-28T10:20", "2026-02-28T10:20:00"],
      ["2026-02-28T10:20:30.500000", "2026-02-28T10:20:30.5"],
      ["2024-02-29T23:59:59.123456", "2024-02-29T23:59:59.123456"],
      ["2024-02-29T23:59:59.1234567", "2024-02-29T23:59:59.123456"],
      ["2024-12-31T23:59:59.999999999", "2024-12-31T23:59:59.999999"],
      ["2026-03-29T02:30:00.000", "2026-03-29T02:30:00"],
      ["0001-01-01T00:00", "0001-01-01T00:00:00"],
    ]) {
      test(`performed date ${performedDate} is answered as ${shown}`, async () => {
        const { json } = await write(sent({ performedDate }));
        assert.equal(json.performedDate, shown);
        assert.equal((await get(`${api}/logs/${json.id}`)).json.performedDate, shown);
      });
    }

    test("a comment may be empty, and is stored as sent", async () => {
      for (const comment of ["", "  ", " ’quoted’ 𝄞\r\n\t\u0001 ", "x".repeat(10_000), "𝄞".repeat(10_000)]) {
        const { status, json } = await write(aLog({ comment }));
        assert.equal(status, 201);
        assert.equal((await get(`${api}/logs/${json.id}`)).json.comment, comment);
      }
    });

    test("a wrong body is 400, with the message of its first fault", async () => {
      const { status, json } = await write(sent({ performedDate: "x", comment: undefined }));
      assert.deepEqual([status, json], [400, { status: 400, msg: "Comment required" }]);
    });

    test("an asset that does not exist is 404, after the body has been checked", async () => {
      const notFound = { status: 404, msg: "Asset not found" };
      for (const id of ["999999", "0", "-1", "-99999999999999999999", "9".repeat(30)]) {
        const answer = await write(aLog(), world.tokens.TECHNICIAN, id);
        assert.deepEqual([answer.status, answer.json], [404, notFound]);
        assert.deepEqual((await get(logsOf(id))).json, notFound);
        assert.equal((await write(sent({ status: "x" }), world.tokens.TECHNICIAN, id)).status, 400);
      }
      assert.equal((await write(aLog(), world.tokens.TECHNICIAN, "x")).json.msg, "Invalid id");
    });

    test("a log can be written on an inactive asset", async () => {
      const { id } = await world.ports.assets.insert(anAsset({ name: "Off", active: false }));
      assert.equal((await write(aLog(), world.tokens.TECHNICIAN, id)).status, 201);
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
        const again = await send(
          "key-1",
          aLog({ performedDate: "2026-02-28T10:20:00.000", comment: "once" }),
        );
        assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"]);
        assert.equal(again.text, first.text);
        const logs = (await get(logsOf(assetId))).json;
        assert.equal(logs.filter(({ comment }: { comment: string }) => comment === "once").length, 1);
      });

      test("the same key with another request is 422", async () => {
        await send("key-2", aLog());
        const answer = await send("key-2", aLog({ comment: "another" }));
        const reused = { status: 422, msg: "Idempotency-Key was used for another log" };
        assert.deepEqual([answer.status, answer.json], [422, reused]);
      });

      test("a key has 1 to 255 visible ASCII characters", async () => {
        const invalid = { status: 400, msg: "Idempotency-Key must be 1 to 255 visible ASCII characters" };
        for (const key of ["", "two words", "x".repeat(256), "kø"]) {
          const answer = await send(key, aLog());
          assert.deepEqual([answer.status, answer.json], [400, invalid], key);
        }
        for (const key of ["!", "~".repeat(255)]) assert.equal((await send(key, aLog())).status, 201);
      });
    });

    test("logs have no update and no delete operation", async () => {
      for (const method of ["PUT", "PATCH", "DELETE", "POST"]) {
        const answer = await world.call(method, `${api}/logs/1`, { token: world.tokens.ADMIN });
        assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "GET, HEAD, OPTIONS"], method);
      }
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        const answer = await world.call(method, logsOf(assetId), { token: world.tokens.ADMIN });
        assert.deepEqual(
          [answer.status, answer.headers.get("allow")],
          [405, "GET, POST, HEAD, OPTIONS"],
          method,
        );
      }
    });

    test("an invalid filter is 400", async () => {
      for (const [path, msg] of [
        [`${logsOf(assetId)}?status=DONE`, "Invalid status value"],
        [`${logsOf(assetId)}?status=`, "Invalid status value"],
        [`${logsOf(assetId)}?status=PENDING&status=PENDING`, "Invalid status value"],
        [`${logsOf(assetId)}?taskType=error`, "Invalid task type value"],
        [`${logsOf(999_999)}?taskType=x`, "Invalid task type value"],
        [`${api}/logs?status=pending`, "Invalid status value"],
        ...["0", "-1", "1.5", "1e3", "x", "", "5&limit=5"].map(
          limit => [`${api}/logs/active-assets?limit=${limit}`, "Invalid limit value"] as const,
        ),
      ] as const) {
        const answer = await get(path);
        assert.deepEqual([answer.status, answer.json], [400, { status: 400, msg }], path);
      }
    });

    test("the logs of an employee are what that employee performed", async () => {
      const { employee, token } = await world.join("TECHNICIAN");
      const list = (id: number) => get(`${api}/logs/employee/${id}`, world.tokens.MANAGER);
      assert.deepEqual((await list(employee.id)).json, []);
      const one = (await write(aLog({ performedDate: "2026-01-01T00:00" }), token)).json;
      const other = (await write(aLog({ performedDate: "2026-01-02T00:00" }), token)).json;
      assert.deepEqual((await list(employee.id)).json, [other, one]);
      const unknown = await list(999_999);
      assert.deepEqual([unknown.status, unknown.json], [404, { status: 404, msg: "Employee not found" }]);
    });

    test("an unknown log is 404", async () => {
      for (const id of ["0", "-1", "-99999999999999999999", "999999999", "9".repeat(25)]) {
        const answer = await get(`${api}/logs/${id}`);
        assert.deepEqual([answer.status, answer.json], [404, { status: 404, msg: "Log not found" }]);
      }
      assert.equal((await get(`${api}/logs/x`)).json.msg, "Invalid id");
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
}
