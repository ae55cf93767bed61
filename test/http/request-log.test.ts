import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeJsonEventLog } from "../../src/adapters/json-event-log.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { api, openWorld, password, secretKey, type World } from "../support/world.ts";

/** The events of a world, without what differs from run to run; the line of a request comes after its answer. */
async function eventsOf(world: World) {
  await world.close(1_000);
  return world.recorded.map(({ level, event, details }) => {
    const { milliseconds, ...rest } = { ...details };
    if (event === "request") assert.equal(typeof milliseconds, "number");
    return { level, event, ...rest };
  });
}

describe("the log of requests", () => {
  test("has one line for each, with the route's pattern and who asked", async () => {
    const world = await openWorld();
    const token = world.tokens.TECHNICIAN;
    const { id } = world.employees.TECHNICIAN;
    const about = (requestId: string) => ({ requestId, method: "GET", address: "127.0.0.1" });
    await world.call("GET", `${api}/employees/${id}?x=1`, { token, headers: { "x-request-id": "a" } });
    await world.call("GET", "/nope/secret", { token, headers: { "x-request-id": "b" } });
    const route = `${api}/employees/{id}`;
    assert.deepEqual(await eventsOf(world), [
      ...[
        {
          level: "debug",
          event: "query parameters ignored",
          ...about("a"),
          route,
          id,
          employeeId: id,
          names: "x",
        },
      ],
      { level: "info", event: "request", ...about("a"), route, id, employeeId: id, status: 200 },
      { level: "info", event: "request", ...about("b"), status: 404 },
    ]);
  });

  test("names the query parameters that were ignored, without their values and without what may be one", async () => {
    const world = await openWorld();
    const token = world.tokens.TECHNICIAN;
    const query = `status=PENDING&Status=secret-1&taskType=ERROR&secret%202&x=3&x=4&${token}`;
    const { status } = await world.call("GET", `${api}/logs?${query}`, { token });
    await world.call("GET", `${api}/logs?status=PENDING&limit=1`, { token });
    const ignored = (await eventsOf(world)).filter(({ level }) => level === "debug");
    assert.equal(status, 200);
    assert.deepEqual(
      ignored.map(details => "names" in details && details.names),
      ["Status, …, x, …"],
    );
  });

  test("names failed and throttled logins, refused tokens and roles, and new admins", async () => {
    const world = await openWorld();
    const login = (password: string) =>
      world.call("POST", `${api}/auth/login`, { body: { email: world.employees.ADMIN.email, password } });
    for (let i = 0; i < 6; i += 1) await login("wrong password");
    await world.call("GET", `${api}/assets`);
    await world.call("GET", `${api}/assets`, { token: "broken" });
    await world.call("DELETE", `${api}/assets/1`, { token: world.tokens.TECHNICIAN });
    const path = `${api}/employees/${world.employees.MANAGER.id}`;
    await world.call("PUT", path, { token: world.tokens.ADMIN, body: { role: "ADMIN" } });
    const warnings = (await eventsOf(world)).filter(({ level }) => level === "warn");
    assert.deepEqual(
      warnings.map(({ event }) => event),
      [
        ...Array(5).fill("login failed"),
        "login throttled",
        "token refused",
        "token refused",
        "role refused",
        "admin created",
      ],
    );
    for (const { event, ...details } of warnings.slice(0, -1)) {
      assert.equal((details as Record<string, unknown>)["address"], "127.0.0.1", event);
    }
    const { id } = world.employees.MANAGER;
    const created = {
      level: "warn",
      event: "admin created",
      employeeId: id,
      byEmployeeId: world.employees.ADMIN.id,
    };
    assert.deepEqual(warnings.at(-1), created);
  });

  test("never holds a password, a hash, a token or the secret, and no value can forge a line", async () => {
    const world = await openWorld();
    const canary = 'canary-password-\r\n{"event":"forged"}\u0000';
    const email = world.employees.ADMIN.email;
    await world.call("POST", `${api}/auth/login`, { body: { email, password: canary } });
    await world.call("POST", `${api}/auth/login`, { body: { email, password } });
    await world.call("GET", `/canary%0d%0a?token=${world.tokens.ADMIN}`, { token: world.tokens.ADMIN });
    await world.call("GET", `${api}/assets`, { token: `${world.tokens.ADMIN}x` });
    const lines: string[] = [];
    const log = makeJsonEventLog("debug", makeFakeClock(), line => lines.push(line));
    await world.close(1_000);
    for (const { level, event, details } of world.recorded) log[level](event, details);
    const output = lines.join("");
    assert.doesNotMatch(output, /canary-password|eyJ|argon2/);
    for (const secret of [secretKey, password, world.tokens.ADMIN]) assert.ok(!output.includes(secret));
    assert.equal(output.split("\n").length - 1, world.recorded.length);
  });
});
