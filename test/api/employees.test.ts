import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { switchActivity } from "../support/activity.ts";
import { aLog, anAsset } from "../support/test-records.ts";
import { api, describeInWorlds, password } from "../support/world.ts";

const employees = `${api}/employees`;
const unauthorized = { status: 403, msg: "Unauthorized" };

describeInWorlds("employees", world => {
  test("the list holds every employee by id, without anything secret", async () => {
    for (let i = 0; i < 3; i += 1) await world.join("TECHNICIAN");
    const { status, json, text } = await world.call("GET", employees, { token: world.tokens.TECHNICIAN });
    assert.equal(status, 200);
    assert.doesNotMatch(text, /password|hash/i);
    const ids = json.map(({ id }: { id: number }) => id);
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    for (const employee of Object.values(world.employees)) {
      assert.deepEqual(
        json.find(({ id }: { id: number }) => id === employee.id),
        { ...employee },
      );
    }
  });

  test("the list can be narrowed by activity", async () => {
    const { employee } = await world.join("TECHNICIAN");
    await world.call("DELETE", `${employees}/${employee.id}`, { token: world.tokens.ADMIN });
    const listed = async (query: string) =>
      (await world.call("GET", `${employees}${query}`, { token: world.tokens.TECHNICIAN })).json;
    const everyone = await listed("");
    const isActive = ({ active }: { active: boolean }) => active;
    assert.deepEqual(await listed("?active=true"), everyone.filter(isActive));
    assert.deepEqual(
      await listed("?active=false"),
      everyone.filter((one: { active: boolean }) => !isActive(one)),
    );
  });

  test("me is the caller", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const { status, json } = await world.call("GET", `${employees}/me`, { token });
    assert.deepEqual([status, json], [200, { ...employee }]);
  });

  describe("an update", () => {
    const update = (id: number, body: unknown, token = world.tokens.ADMIN) =>
      world.call("PUT", `${employees}/${id}`, { token, body });

    test("a wrong body is 400, with the message of its first fault, also on an unknown id", async () => {
      for (const id of [world.employees.TECHNICIAN.id, 999_999]) {
        const { status, json } = await update(id, { phone: "x", lastName: "" });
        assert.deepEqual([status, json], [400, { status: 400, msg: "Last name is required" }]);
      }
    });

    test("a taken email is 409; one's own in another case is not", async () => {
      const { employee } = await world.join("TECHNICIAN");
      const taken = await update(employee.id, { email: world.employees.ADMIN.email.toUpperCase() });
      assert.deepEqual([taken.status, taken.json], [409, { status: 409, msg: "Email already exists" }]);
      assert.equal((await update(employee.id, { email: employee.email.toUpperCase() })).status, 200);
    });

    test("nobody edits an employee above their own role, or grants a role above it", async () => {
      const { employee } = await world.join("TECHNICIAN");
      const { MANAGER: manager, ADMIN: admin } = world.tokens;
      for (const [id, body, token, expected] of [
        [world.employees.ADMIN.id, { firstName: "Mallory" }, manager, 403],
        [world.employees.ADMIN.id, {}, manager, 403],
        [employee.id, { role: "ADMIN" }, manager, 403],
        [employee.id, { role: "MANAGER" }, manager, 200],
        [world.employees.MANAGER.id, { firstName: "Ada" }, manager, 200],
        [employee.id, { role: "ADMIN" }, admin, 200],
        [employee.id, { role: "TECHNICIAN" }, manager, 403],
      ] as const) {
        const answer = await update(id, body, token);
        assert.equal(answer.status, expected, JSON.stringify(body));
        if (expected === 403) assert.deepEqual(answer.json, unauthorized);
      }
      assert.equal((await world.ports.employees.find(world.employees.ADMIN.id)).firstName, "Ada");
    });
  });

  test("deactivation and reactivation answer 204 without a body, twice as well as once", async () => {
    const { employee } = await world.join("TECHNICIAN");
    const find = () => world.ports.employees.find(employee.id);
    await switchActivity(world, `${employees}/${employee.id}`, async () => (await find()).active);
  });

  describe("a password change", () => {
    const change = (id: number | string, body: unknown, token: string) =>
      world.call("PATCH", `${employees}/${id}/password`, { token, body });
    const canLogIn = async (email: string, password: string) =>
      (await world.call("POST", `${api}/auth/login`, { body: { email, password } })).status === 200;

    test("answers 204 without a body; then only the new password works", async () => {
      const { employee, token } = await world.join("TECHNICIAN");
      const answer = await change(employee.id, { oldPassword: password, newPassword: " next " }, token);
      assert.deepEqual([answer.status, answer.text], [204, ""]);
      assert.equal(await canLogIn(employee.email, " next "), true);
      assert.equal(await canLogIn(employee.email, "next"), false);
      assert.equal(await canLogIn(employee.email, password), false);
    });

    test("checks the id's form, then whose it is, then the body, then the old password", async () => {
      const { employee, token } = await world.join("ADMIN");
      const other = world.employees.TECHNICIAN.id;
      for (const [id, body, expected] of [
        ["x", {}, [400, "Invalid id"]],
        [other, {}, [403, "Unauthorized"]],
        [999_999, {}, [403, "Unauthorized"]],
        [-5, {}, [403, "Unauthorized"]],
        [employee.id, { oldPassword: null, newPassword: null }, [400, "Old password is required"]],
        [employee.id, { oldPassword: "wrong", newPassword: null }, [400, "New password is required"]],
        [
          employee.id,
          { oldPassword: "wrong", newPassword: "abc" },
          [400, "Password must be between 4 and 72 characters"],
        ],
        [employee.id, { oldPassword: "wrong", newPassword: "abcd" }, [400, "Old password is incorrect"]],
      ] as const) {
        const answer = await change(id, body, token);
        assert.deepEqual([answer.json.status, answer.json.msg], expected, JSON.stringify(body));
      }
      assert.equal(await canLogIn(employee.email, password), true);
    });
  });

  test("the logs of an inactive employee remain stored and visible", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const asset = await world.ports.assets.insert(anAsset());
    const body = aLog();
    const written = await world.call("POST", `${api}/assets/${asset.id}/logs`, { token, body });
    await world.call("DELETE", `${employees}/${employee.id}`, { token: world.tokens.ADMIN });
    const found = await world.call("GET", `${api}/logs/${written.json.id}`, {
      token: world.tokens.TECHNICIAN,
    });
    assert.deepEqual([found.status, found.json], [200, written.json]);
    const listed = await world.call("GET", `${api}/logs/employee/${employee.id}`, {
      token: world.tokens.MANAGER,
    });
    assert.deepEqual(listed.json, [written.json]);
  });
});
