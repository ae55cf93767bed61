import assert from "node:assert/strict";
import { test } from "node:test";
import type { Account } from "../../src/application/ports.ts";
import { makeFakePasswordHasher } from "../fakes/fake-password-hasher.ts";
import { forge, goodClaims } from "../support/forge.ts";
import { aLog, anAsset, aRegistration } from "../support/test-records.ts";
import { api, describeInWorlds, openWorld, password } from "../support/world.ts";

const notValid = { status: 403, msg: "Token is not valid" };

describeInWorlds("revocation", world => {
  const asAdmin = (method: string, id: number, body?: unknown) =>
    world.call(method, `${api}/employees/${id}`, { token: world.tokens.ADMIN, body });
  const use = (token: string) => world.call("GET", `${api}/assets`, { token });
  const assertDead = async (token: string) => assert.deepEqual((await use(token)).json, notValid);
  const assertLive = async (token: string) => assert.equal((await use(token)).status, 200);
  const logIn = async (email: string, password: string): Promise<string> =>
    (await world.call("POST", `${api}/auth/login`, { body: { email, password } })).json.token;
  const changePassword = (id: number, token: string, oldPassword: string, newPassword: string) =>
    world.call("PATCH", `${api}/employees/${id}/password`, { token, body: { oldPassword, newPassword } });

  test("deactivation kills a token at once, and reactivation does not bring it back", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    await assertLive(token);
    await asAdmin("DELETE", employee.id);
    await assertDead(token);
    await asAdmin("PATCH", employee.id);
    await assertDead(token);
    await assertLive(await logIn(employee.email, password));
  });

  test("a change of role kills a token at once, and changing it back does not bring it back", async () => {
    const { employee, token } = await world.join("MANAGER");
    await assertLive(token);
    await asAdmin("PUT", employee.id, { role: "TECHNICIAN" });
    await assertDead(token);
    await asAdmin("PUT", employee.id, { role: "MANAGER" });
    await assertDead(token);
  });

  test("a change of email kills a token at once; create-log says that nobody has this email", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    await assertLive(token);
    const moved = `moved.${employee.id}@example.com`;
    await asAdmin("PUT", employee.id, { email: moved });
    await assertDead(token);
    const asset = await world.ports.assets.insert(anAsset());
    const answer = await world.call("POST", `${api}/assets/${asset.id}/logs`, { token, body: aLog() });
    assert.equal(answer.status, 401);
    await assertLive(await logIn(moved, password));
  });

  test("a password change kills every token but the one that made it", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const other = await logIn(employee.email, password);
    await assertLive(other);
    assert.equal((await changePassword(employee.id, token, password, "second")).status, 204);
    await assertLive(token);
    await assertDead(other);

    const fresh = await logIn(employee.email, "second");
    await assertLive(fresh);
    assert.equal((await changePassword(employee.id, fresh, "second", "third")).status, 204);
    await assertLive(fresh);
    await assertDead(token);
    await asAdmin("DELETE", employee.id);
    await asAdmin("PATCH", employee.id);
    await assertDead(fresh);
  });

  test("a token without a version dies when something was revoked after it was issued", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const { exp, ...claims } = goodClaims(employee.email, "TECHNICIAN", world.clock.now());
    const joinedAt = (await world.ports.employees.findAccount(employee.email))?.tokensValidFrom ?? 0;
    const without = forge({ ...claims, iat: joinedAt, exp });
    await assertLive(without);
    assert.equal((await changePassword(employee.id, token, password, "second")).status, 204);
    await assertDead(without);
    await assertDead(forge({ ...claims, iat: undefined, exp }));
    await assertLive(forge({ ...claims, iat: joinedAt + 60, exp }));
  });

  test("a database that was set back and counts the versions again revives no token", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const second = await changePassword(employee.id, token, password, "second");
    assert.equal(second.status, 204);
    const { tokenVersion, tokensValidFrom } = (await world.ports.employees.findAccount(
      employee.email,
    )) as Account;
    const claims = {
      ...goodClaims(employee.email, "TECHNICIAN", world.clock.now()),
      sub: String(employee.id),
      ver: tokenVersion,
      iat: tokensValidFrom,
    };
    await assertLive(forge(claims));
    for (const role of ["MANAGER", "ADMIN"]) await assertDead(forge({ ...claims, roles: [role] }));
    for (const iat of [tokensValidFrom - 1, tokensValidFrom - 60, undefined]) {
      await assertDead(forge({ ...claims, iat }));
      const write = { token: forge({ ...claims, iat, roles: ["ADMIN"] }), body: { name: "Crane" } };
      assert.deepEqual((await world.call("POST", `${api}/assets`, write)).json, notValid);
    }
    // The token that made the change has no other role either.
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    await assertLive(forge({ ...claims, iat: 0, ver: 1, jti }));
    await assertDead(forge({ ...claims, iat: 0, ver: 1, jti, roles: ["ADMIN"] }));
  });

  test("a login in the second of a change is live, also by a clock that is behind the database's", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    const now = world.clock.now();
    world.clock.set(new Date(now.getTime() - 20_000).toISOString());
    try {
      assert.equal((await changePassword(employee.id, token, password, "second")).status, 204);
      await assertLive(await logIn(employee.email, "second"));
      await asAdmin("PUT", employee.id, { role: "MANAGER" });
      await assertLive(await logIn(employee.email, "second"));
      const registered = aRegistration();
      const body = { token: world.tokens.ADMIN, body: registered };
      assert.equal((await world.call("POST", `${api}/auth/register`, body)).status, 201);
      await assertLive(await logIn(registered.email, password));
    } finally {
      world.clock.set(now.toISOString());
    }
  });

  test("an inactive employee's token is not valid, whatever it says", async () => {
    const { employee } = await world.join("TECHNICIAN");
    await asAdmin("DELETE", employee.id);
    const claims = goodClaims(employee.email, "TECHNICIAN", world.clock.now());
    await assertDead(forge({ ...claims, iat: claims.iat + 60 }));
    await assertDead(forge({ ...claims, ver: 2 }));
  });

  test("what another process revokes shows within half a second", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    await assertLive(token);
    // The repository itself stands for the other process: nothing here hears of the change.
    await world.ports.employees.setActive(employee.id, false);
    world.clock.advance(0.5);
    await assertDead(token);
  });

  test("a token that another process has just signed is live, though the account is cached from before", async () => {
    const { employee, token } = await world.join("TECHNICIAN");
    await assertLive(token);
    const { employees, passwords, tokens } = world.ports;
    await employees.setPasswordHash(employee.id, await passwords.hash("second", ["operator"]));
    await assertLive(await tokens.sign((await employees.findAccount(employee.email)) as Account));
  });
});

test("a demotion while the password is being hashed leaves no token with the old role", async () => {
  const hasher = makeFakePasswordHasher();
  let whileHashing = async () => {};
  await using world = await openWorld({
    passwords: {
      ...hasher,
      async hash(password, line) {
        await whileHashing();
        return hasher.hash(password, line);
      },
    },
  });
  const { employee, token } = await world.join("MANAGER");
  const path = `${api}/employees/${employee.id}`;
  whileHashing = async () => {
    await world.call("PUT", path, { token: world.tokens.ADMIN, body: { role: "TECHNICIAN" } });
  };
  const change = { oldPassword: password, newPassword: "another 1" };
  assert.deepEqual((await world.call("PATCH", `${path}/password`, { token, body: change })).json, notValid);
  assert.equal((await world.call("POST", `${api}/assets`, { token, body: { name: "Pump" } })).status, 403);
  assert.equal((await world.call("GET", "/", { token })).status, 403);
});
