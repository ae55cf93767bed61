import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeArgon2PasswordHasher } from "../../src/adapters/argon2-password-hasher.ts";
import type { PasswordHasher } from "../../src/application/ports.ts";
import { makeFakePasswordHasher } from "../fakes/fake-password-hasher.ts";
import { until } from "../support/until.ts";
import { api, openWorld, password, type World } from "../support/world.ts";

/** Failures that cost nothing, as docs/reference.md has them: of one email from one address, and of an address. */
const freeFailures = { ofEmail: 5, ofAddress: 50 };

const attempt = (world: World, email: string, password: string, forwardedFor?: string) =>
  world.call("POST", `${api}/auth/login`, {
    body: { email, password },
    headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor },
  });

async function guess(world: World, email: string, times: number, forwardedFor?: string) {
  for (let i = 0; i < times; i += 1) await attempt(world, email, `guess ${i}`, forwardedFor);
}

describe("guessing passwords", () => {
  test("is 429 with Retry-After after a few failures, also for the right password, until the wait is over", async () => {
    await using world = await openWorld();
    const { email } = world.employees.TECHNICIAN;
    await guess(world, email, freeFailures.ofEmail);
    for (const guessed of ["another guess", password]) {
      const answer = await attempt(world, email, guessed);
      assert.deepEqual([answer.status, answer.json], [429, { status: 429, msg: "Too many failed logins" }]);
      assert.equal(answer.headers.get("retry-after"), "1");
    }
    world.clock.advance(1);
    assert.equal((await attempt(world, email, password)).status, 200);
  });

  test("costs a verification as long as it is not throttled, for an unknown email too, and none afterwards", async () => {
    const hasher = makeFakePasswordHasher();
    let verified = 0;
    const passwords = {
      ...hasher,
      verify(...asked: Parameters<typeof hasher.verify>) {
        verified += 1;
        return hasher.verify(...asked);
      },
    };
    await using world = await openWorld({ passwords });
    await world.ports.employees.setActive(world.employees.MANAGER.id, false);
    // The time of the answer must not tell who exists, and a guess that has to wait must not cost any.
    for (const email of ["nobody@example.com", world.employees.MANAGER.email, world.employees.ADMIN.email]) {
      verified = 0;
      await guess(world, email, freeFailures.ofEmail + 10);
      assert.equal((await attempt(world, email, password)).status, 429);
      assert.equal(verified, freeFailures.ofEmail, email);
    }
  });

  test("counts one email however it is written, and no login of another one forgives its failures", async () => {
    await using world = await openWorld();
    const padding = " ".repeat(600);
    const { TECHNICIAN, MANAGER } = world.employees;
    const forms = [`${padding}${MANAGER.email}`, MANAGER.email.toUpperCase(), `${MANAGER.email}\u2003`];
    for (let i = 0; i < freeFailures.ofEmail; i += 1) {
      const answer = await attempt(world, forms[i % forms.length] as string, `guess ${i}`);
      assert.equal(answer.status, 401);
      assert.equal((await attempt(world, `${padding}${TECHNICIAN.email}`, password)).status, 200);
    }
    for (const form of [...forms, MANAGER.email])
      assert.equal((await attempt(world, form, password)).status, 429, form);
  });

  test("does not lock out the same employee at another address, behind a trusted proxy", async () => {
    await using world = await openWorld({ trustedProxies: ["127.0.0.1", "10.0.0.0/8"] });
    const { email } = world.employees.TECHNICIAN;
    await guess(world, email, freeFailures.ofEmail, "198.51.100.7, 10.1.2.3");
    assert.equal((await attempt(world, email, password, "198.51.100.7")).status, 429);
    assert.equal((await attempt(world, email, password, "198.51.100.8, 10.1.2.3")).status, 200);
    assert.equal((await attempt(world, email, password, "198.51.100.8, 198.51.100.7")).status, 429);
  });

  test("does not believe what a client says of its own address", async () => {
    await using world = await openWorld();
    const { email } = world.employees.TECHNICIAN;
    for (let i = 0; i < freeFailures.ofEmail; i += 1) await attempt(world, email, "guess", `198.51.100.${i}`);
    assert.equal((await attempt(world, email, password, "198.51.100.99")).status, 429);
    const warnings = world.recorded.filter(({ event }) => event === "X-Forwarded-For is ignored");
    assert.equal(warnings.length, 1);
    assert.equal(warnings[0]?.level, "warn");
  });
});

test("guessing the old password with somebody's token is slowed down like the login before it costs a verification, and logged", async t => {
  const passwords = makeFakePasswordHasher();
  const verify = t.mock.method(passwords, "verify");
  await using world = await openWorld({ passwords });
  const { id } = world.employees.TECHNICIAN;
  const change = (oldPassword: string) =>
    world.call("PATCH", `${api}/employees/${id}/password`, {
      token: world.tokens.TECHNICIAN,
      body: { oldPassword, newPassword: "another 1" },
    });
  for (let i = 0; i < freeFailures.ofEmail; i += 1) assert.equal((await change(`guess ${i}`)).status, 400);
  const refused = await change(password);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
  assert.equal(verify.mock.callCount(), freeFailures.ofEmail);
  world.clock.advance(1);
  assert.equal((await change(password)).status, 204);
  const events = world.recorded.filter(({ event }) => event === "password refused");
  assert.equal(events.length, freeFailures.ofEmail);
  const { employeeId, address } = events[0]?.details ?? {};
  assert.deepEqual([employeeId, address], [id, "127.0.0.1"]);
  // What it was called with has the requests.
  verify.mock.resetCalls();
});

test("many failures from one address hold up all emails but those that are at home there, whose failures get the same response", async () => {
  await using world = await openWorld();
  const { TECHNICIAN, MANAGER } = world.employees;
  assert.equal((await attempt(world, TECHNICIAN.email, password)).status, 200);
  for (let n = 0; n < freeFailures.ofAddress; n += 1)
    assert.equal((await attempt(world, `${n}@example.com`, "a guess")).status, 401);
  const [unknown, known, another] = [
    await attempt(world, "nobody@example.com", "a guess"),
    await attempt(world, TECHNICIAN.email, "a guess"),
    await attempt(world, MANAGER.email, password),
  ].map(({ status, json, headers }) => [status, json, headers.get("retry-after")]);
  assert.deepEqual(unknown, [429, { status: 429, msg: "Too many failed logins" }, "10"]);
  assert.deepEqual([known, another], [unknown, unknown]);
  assert.equal((await attempt(world, TECHNICIAN.email, password)).status, 200);
  world.clock.advance(10);
  assert.equal((await attempt(world, MANAGER.email, password)).status, 200);
});

/** A hasher whose verifications wait, as those of argon2 do, until they are let go together. */
function makeWaitingHasher() {
  const hasher = makeFakePasswordHasher();
  const held: (() => void)[] = [];
  let isHolding = false;
  return {
    passwords: {
      ...hasher,
      async verify(...asked: Parameters<typeof hasher.verify>) {
        if (isHolding) await new Promise<void>(resolve => held.push(resolve));
        return hasher.verify(...asked);
      },
    },
    /** Sends these while no verification ends, and lets them go when all of them are verified. */
    async overlap<T>(...sends: readonly (() => Promise<T>)[]): Promise<T[]> {
      isHolding = true;
      const answers: Promise<T>[] = [];
      for (const send of sends) {
        answers.push(send());
        await until(() => held.length === answers.length);
      }
      isHolding = false;
      for (const go of held.splice(0)) go();
      return Promise.all(answers);
    },
  };
}

describe("a guess that another one has overtaken while its password was verified", () => {
  for (const [where, failed] of [
    ["the login", 401],
    ["a change of password", 400],
  ] as const) {
    test(`learns nothing at ${where}, be it right`, async () => {
      const { passwords, overlap } = makeWaitingHasher();
      await using world = await openWorld({ passwords });
      const { id, email } = world.employees.TECHNICIAN;
      const path = `${api}/employees/${id}/password`;
      const change = (oldPassword: string) => () => {
        const body = { oldPassword, newPassword: "another 1" };
        return world.call("PATCH", path, { token: world.tokens.TECHNICIAN, body });
      };
      const login = (password: string) => () => attempt(world, email, password);
      const send = failed === 401 ? login : change;
      for (let i = 0; i < freeFailures.ofEmail - 1; i += 1) await send(`guess ${i}`)();
      const answers = await overlap(send("guess"), send("guess"), send(password));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [failed, 429, 429],
      );
    });
  }
});

describe("hashing", () => {
  test("of a flood of one employee's logins keeps nobody else out, right or wrong as they are", async () => {
    for (const flooded of [password, "a guess"]) {
      await using world = await openWorld({
        passwords: makeArgon2PasswordHasher({ working: 1, waiting: 20 }),
      });
      const { ADMIN, MANAGER, TECHNICIAN } = world.employees;
      const flood = Array.from({ length: 60 }, () => attempt(world, TECHNICIAN.email, flooded));
      const others = await Promise.all([ADMIN, MANAGER].map(({ email }) => attempt(world, email, password)));
      assert.deepEqual(
        others.map(({ status }) => status),
        [200, 200],
      );
      const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
      assert.ok(
        [...statuses].every(status => [200, 401, 429, 503].includes(status)),
        `${[...statuses]}`,
      );
    }
  });

  test("of a flood of many emails from one address keeps nobody at another out, and stops at the free failures", async () => {
    const hasher = makeArgon2PasswordHasher({ working: 2, waiting: 200 });
    let begun = 0;
    const passwords: PasswordHasher = {
      ...hasher,
      verify: (hash, password, line, begin) =>
        hasher.verify(hash, password, line, () => {
          begin();
          begun += 1;
        }),
    };
    await using world = await openWorld({ passwords, trustedProxies: ["127.0.0.1"] });
    const { ADMIN, MANAGER, TECHNICIAN } = world.employees;
    const [flooding, elsewhere] = ["198.51.100.7", "198.51.100.8"];
    assert.equal((await attempt(world, TECHNICIAN.email, password, flooding)).status, 200);
    begun = 0;
    const flood = Array.from({ length: 260 }, (_, n) =>
      attempt(world, `${n}@example.com`, "a guess", flooding),
    );
    await until(() => hasher.load().waiting === 200);
    const logins = [ADMIN, MANAGER].map(({ email }) => attempt(world, email, password, elsewhere));
    // Behind the same proxy as the flood, and at home there.
    logins.push(attempt(world, TECHNICIAN.email, password, flooding));
    assert.deepEqual(
      (await Promise.all(logins)).map(({ status }) => status),
      [200, 200, 200],
    );
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    assert.equal(statuses.filter(status => status === 401).length, freeFailures.ofAddress);
    assert.deepEqual([...new Set(statuses)].toSorted(), [401, 429, 503]);
    // Two are under way when the last free one fails.
    assert.ok(begun <= freeFailures.ofAddress + 2 + logins.length, `${begun} verifications`);
  });

  test("is refused past a bounded queue with 503 and Retry-After, and goes on afterwards", async () => {
    await using world = await openWorld({ passwords: makeArgon2PasswordHasher({ working: 1, waiting: 2 }) });
    const { email } = world.employees.TECHNICIAN;
    const answers = await Promise.all(Array.from({ length: 8 }, () => attempt(world, email, password)));
    const refused = answers.filter(({ status }) => status === 503);
    assert.equal(answers.filter(({ status }) => status === 200).length, 8 - refused.length);
    assert.ok(refused.length > 0);
    for (const { json, headers } of refused) {
      assert.deepEqual([json.msg, headers.get("retry-after")], ["The service is overloaded", "1"]);
    }
    assert.equal((await attempt(world, email, password)).status, 200);
  });
});
