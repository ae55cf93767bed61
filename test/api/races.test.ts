import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFakePasswordHasher } from "../fakes/fake-password-hasher.ts";
import { aRegistration } from "../support/test-records.ts";
import { api, describeInWorlds, password } from "../support/world.ts";

const count = (statuses: readonly number[], status: number) => statuses.filter(one => one === status).length;

const inParallel = async (times: number, send: (number: number) => Promise<{ status: number }>) =>
  (await Promise.all(Array.from({ length: times }, (_, i) => send(i)))).map(({ status }) => status);

describeInWorlds("races", (world, open) => {
  test("of 50 registrations of one email one is 201 and the others are 409", async () => {
    const body = aRegistration();
    // The real hasher would take seconds, and pass the registrations on two at a time.
    const world = await open(makeFakePasswordHasher());
    const statuses = await inParallel(50, i =>
      world.call("POST", `${api}/auth/register`, {
        token: world.tokens.ADMIN,
        body: { ...body, email: i % 2 === 0 ? body.email : body.email.toUpperCase() },
      }),
    );
    await world.close();
    assert.deepEqual([count(statuses, 201), count(statuses, 409)], [1, 49]);
  });

  test("a token that a login obtained while its employee was deactivated is dead", async () => {
    const { employee } = await world.join("TECHNICIAN");
    const [deactivated, ...logins] = await Promise.all([
      world.call("DELETE", `${api}/employees/${employee.id}`, { token: world.tokens.ADMIN }),
      ...Array.from({ length: 5 }, () =>
        world.call("POST", `${api}/auth/login`, { body: { email: employee.email, password } }),
      ),
    ]);
    assert.equal(deactivated.status, 204);
    for (const { status, json } of logins) {
      assert.ok(status === 200 || status === 401, `a login was answered ${status}`);
      if (status === 200) assert.equal((await world.call("GET", "/", { token: json.token })).status, 403);
    }
  });

  test("a role that is taken away while requests are made is gone for all that come after", async () => {
    const { employee, token } = await world.join("MANAGER");
    const create = () => world.call("POST", `${api}/assets`, { token, body: { name: "Pump" } });
    const [, ...before] = await Promise.all([
      world.call("PUT", `${api}/employees/${employee.id}`, {
        token: world.tokens.ADMIN,
        body: { role: "TECHNICIAN" },
      }),
      ...Array.from({ length: 10 }, create),
    ]);
    for (const { status } of before) assert.ok(status === 201 || status === 403, `answered ${status}`);
    assert.equal((await create()).status, 403);
  });
});
