import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeJsonEventLog } from "../../src/adapters/json-event-log.ts";
import type { Refusal } from "../../src/application/figures.ts";
import type { Role } from "../../src/domain/role.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { forge, goodClaims } from "../support/forge.ts";
import { aLog, aRegistration } from "../support/test-records.ts";
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

const attemptLogin = (world: World, email: string, password: string, requestId: string) =>
  world.call("POST", `${api}/auth/login`, {
    body: { email, password },
    headers: { "x-request-id": requestId },
  });

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
      { level: "info", event: "request", ...about("a"), route, id, employeeId: id, status: 200 },
      { level: "info", event: "request", ...about("b"), employeeId: id, status: 404 },
    ]);
  });

  test("names failed and throttled logins, refused tokens and roles, of which the meter is told, and new admins", async () => {
    const refused: Refusal[] = [];
    const meter = { responded() {}, cut() {}, refused: (refusal: Refusal) => refused.push(refusal) };
    const world = await openWorld({ meter });
    const login = (password: string) =>
      world.call("POST", `${api}/auth/login`, { body: { email: world.employees.ADMIN.email, password } });
    for (let i = 0; i < 6; i += 1) await login("wrong password");
    await world.call("GET", `${api}/assets`);
    await world.call("GET", `${api}/assets`, { token: "broken" });
    const { employee: former, token } = await world.join("TECHNICIAN");
    await world.ports.employees.setActive(former.id, false);
    await world.call("GET", `${api}/assets/7`, { token });
    for (const [method, id] of [
      ["DELETE", 1],
      ["GET", "x"],
      ["GET", 999_999],
    ] as const)
      await world.call(method, `${api}/assets/${id}`, { token: world.tokens.TECHNICIAN });
    const nobody = forge(goodClaims("nobody@example.com", "TECHNICIAN", world.clock.now()));
    await world.call("POST", `${api}/assets/1/logs`, { token: nobody, body: aLog() });
    const register = (role: Role) => {
      const body = aRegistration({ role });
      return world.call("POST", `${api}/auth/register`, { token: world.tokens.ADMIN, body });
    };
    await register("MANAGER");
    const registered = (await register("ADMIN")).json.id;
    const path = `${api}/employees/${world.employees.MANAGER.id}`;
    // The second one changes nothing.
    for (let i = 0; i < 2; i += 1)
      await world.call("PUT", path, { token: world.tokens.ADMIN, body: { role: "ADMIN" } });
    const warnings = (await eventsOf(world)).filter(({ level }) => level === "warn");
    assert.deepEqual(
      warnings.map(({ event }) => event),
      [...refused, "admin created", "admin created"],
    );
    const failures = Array<Refusal>(5).fill("login failed");
    const refusedTokens = Array<Refusal>(3).fill("token refused");
    assert.deepEqual(refused, [
      ...failures,
      "login throttled",
      ...refusedTokens,
      "role refused",
      "token refused",
    ]);
    const { ADMIN, MANAGER, TECHNICIAN } = world.employees;
    const loggingIn = { method: "POST", route: `${api}/auth/login` };
    const known = warnings.map(warning => {
      const { level: _, event: __, requestId, address, ...about } = warning as Record<string, unknown>;
      assert.match(String(requestId), /^[\da-f-]{36}$/);
      assert.equal(address, "127.0.0.1");
      return about;
    });
    assert.deepEqual(known, [
      ...Array(5).fill({ ...loggingIn, employeeId: ADMIN.id }),
      // Refused before anybody is looked up.
      loggingIn,
      { method: "GET", route: `${api}/assets`, reason: "missing" },
      { method: "GET", route: `${api}/assets`, reason: "not a JWT" },
      {
        method: "GET",
        route: `${api}/assets/{id}`,
        id: 7,
        employeeId: former.id,
        reason: "the employee is inactive",
      },
      { method: "DELETE", route: `${api}/assets/{id}`, id: 1, employeeId: TECHNICIAN.id },
      {
        method: "POST",
        route: `${api}/assets/{id}/logs`,
        id: 1,
      },
      {
        method: "POST",
        route: `${api}/auth/register`,
        employeeId: registered,
        byEmployeeId: ADMIN.id,
      },
      {
        method: "PUT",
        route: `${api}/employees/{id}`,
        id: MANAGER.id,
        employeeId: MANAGER.id,
        byEmployeeId: ADMIN.id,
      },
    ]);
  });

  test("names why a token is refused, which the client does not hear", async () => {
    const world = await openWorld();
    const { email, role } = world.employees.TECHNICIAN;
    const claims = goodClaims(email, role, world.clock.now());
    const { iss: _, ...withoutIssuer } = claims;
    const forged = forge(claims);
    const tokens: readonly (readonly [string, string])[] = [
      [forge({ ...claims, exp: 1 }), "ERR_JWT_EXPIRED: exp"],
      [forge({ ...claims, iss: "another" }), "ERR_JWT_CLAIM_VALIDATION_FAILED: iss"],
      [forge(withoutIssuer), "ERR_JWT_CLAIM_VALIDATION_FAILED: iss"],
      [`${forged.slice(0, -8)}AAAAAAAA`, "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"],
      [forge({ ...claims, sub: "x" }), "sub is no id"],
      [forge({ ...claims, roles: ["ADMIN"] }), "the employee has another role"],
      [forge(goodClaims("nobody@example.com", role, world.clock.now())), "no employee has its username"],
      ["x", "not a JWT"],
    ];
    for (const [token] of tokens) {
      const { status, json } = await world.call("GET", `${api}/assets`, { token });
      assert.deepEqual([status, json.msg], [403, "Token is not valid"]);
    }
    const refused = (await eventsOf(world)).filter(({ event }) => event === "token refused");
    assert.deepEqual(
      refused.map(event => (event as Record<string, unknown>)["reason"]),
      tokens.map(([, reason]) => reason),
    );
  });

  test("names whoever logged in or changed a password", async () => {
    const world = await openWorld();
    const { id, email } = world.employees.TECHNICIAN;
    await attemptLogin(world, email, password, "a");
    const change = (oldPassword: string, requestId: string) =>
      world.call("PATCH", `${api}/employees/${id}/password`, {
        token: world.tokens.TECHNICIAN,
        body: { oldPassword, newPassword: "another 1" },
        headers: { "x-request-id": requestId },
      });
    await change("wrong password", "b");
    await change(password, "c");
    const events = (await eventsOf(world)).filter(({ event }) => event !== "request");
    const about = (requestId: string) => ({ requestId, address: "127.0.0.1", employeeId: id });
    const changing = { method: "PATCH", route: `${api}/employees/{id}/password`, id };
    assert.deepEqual(events, [
      { level: "info", event: "logged in", ...about("a"), method: "POST", route: `${api}/auth/login` },
      { level: "warn", event: "password refused", ...about("b"), ...changing },
      { level: "info", event: "password changed", ...about("c"), ...changing },
    ]);
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
