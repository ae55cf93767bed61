import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EmployeeRepository, Tokens } from "../../../src/application/ports.ts";
import { makeSessions } from "../../../src/application/sessions.ts";
import { makeFakeClock } from "../../fakes/fake-clock.ts";
import { makeFakeTokens } from "../../fakes/fake-tokens.ts";
import { makeMemoryRepositories } from "../../fakes/memory-repositories.ts";
import { byAdmin } from "../../support/by-admin.ts";
import { anEmployee } from "../../support/test-records.ts";
import { deferred, until } from "../../support/until.ts";

const refused = { code: "TOKEN_REFUSED" };

/** Sessions over a repository and tokens that count how often they are asked. */
async function open() {
  const clock = makeFakeClock("2026-03-01T12:00:00Z");
  const repositories = makeMemoryRepositories(clock);
  const { employees } = byAdmin(repositories);
  const employee = await employees.insert(anEmployee());
  const account = await employees.findAccount(employee.email);
  assert.ok(account);
  const tokens = makeFakeTokens(clock, 60);
  let [read, verified] = [0, 0];
  let findAccount: EmployeeRepository["findAccount"] = email => employees.findAccount(email);
  const counting: EmployeeRepository = {
    ...repositories.employees,
    findAccount(email) {
      read += 1;
      return findAccount(email);
    },
  };
  const countingTokens: Tokens = {
    ...tokens,
    verify(token) {
      verified += 1;
      return tokens.verify(token);
    },
  };
  return {
    clock,
    employees,
    employee,
    account,
    sign: () => tokens.sign(account),
    sessions: makeSessions({ employees: counting, tokens: countingTokens, clock }),
    read: () => read,
    verified: () => verified,
    readWith(other: EmployeeRepository["findAccount"]) {
      findAccount = other;
    },
  };
}

describe("sessions", () => {
  test("say whose a token is, and read its account once in half a second", async () => {
    const { clock, employee, sign, sessions, read, verified } = await open();
    const token = await sign();
    const holder = await sessions.identify(token);
    assert.ok(holder.kind === "employee");
    const { id, email, role } = employee;
    assert.deepEqual(holder.caller, { employeeId: id, email, role, tokenId: token, tokenVersion: 1 });
    await Promise.all(Array.from({ length: 10 }, () => sessions.identify(token)));
    clock.advance(0.499);
    assert.deepEqual(await sessions.identify(token), holder);
    assert.equal(read(), 1);
    clock.advance(0.001);
    await sessions.identify(token);
    assert.deepEqual([read(), verified()], [2, 1]);
  });

  test("end when their token expires, to the second", async () => {
    const { clock, sign, sessions } = await open();
    const token = await sign();
    clock.advance(59.9);
    await sessions.identify(token);
    clock.advance(0.1);
    for (let i = 0; i < 2; i += 1) await assert.rejects(sessions.identify(token), refused);
  });

  test("are known by the whole text of the token, and refused ones, of which there is no end, not at all", async () => {
    const { sign, sessions, verified } = await open();
    const token = await sign();
    await sessions.identify(token);
    for (const other of [`${token}x`, token.slice(1), token.toUpperCase(), "", ""]) {
      await assert.rejects(sessions.identify(other), refused, other);
    }
    assert.equal(verified(), 6);
  });

  test("are dropped when there are too many, the oldest first", async () => {
    const { sign, sessions, verified } = await open();
    const [first, second] = [await sign(), await sign()];
    for (const token of [first, second]) await sessions.identify(token);
    for (let i = 0; i < 9_999; i += 1) await sessions.identify(await sign());
    await sessions.identify(second);
    assert.equal(verified(), 10_001);
    await sessions.identify(first);
    assert.equal(verified(), 10_002);
  });

  test("are forgotten when a change of an employee ends, also while the account is being read", async () => {
    const { employee, employees, account, sign, sessions, readWith } = await open();
    const token = await sign();
    await sessions.identify(token);
    const { promise, resolve: answer } = deferred<typeof account>();
    readWith(() => promise);
    const other = await sign();
    const early = sessions.identify(other);
    await sessions.forgetAfter(employees.setActive(employee.id, false));
    readWith(email => employees.findAccount(email));
    answer(account);
    assert.equal((await early).kind, "employee");
    for (const each of [token, other]) await assert.rejects(sessions.identify(each), refused);
  });

  test("are forgotten after a change that failed, too: it may have been made", async () => {
    const { employee, employees, sign, sessions } = await open();
    const token = await sign();
    await sessions.identify(token);
    await employees.setActive(employee.id, false);
    const failure = new Error("connection lost");
    await assert.rejects(sessions.forgetAfter(Promise.reject(failure)), failure);
    await assert.rejects(sessions.identify(token), refused);
  });

  test("are never made up: a failure is passed on, and not kept", async () => {
    const { clock, account, sign, sessions, readWith } = await open();
    const token = await sign();
    await sessions.identify(token);
    clock.advance(1);
    readWith(async () => {
      throw new Error("no database");
    });
    await assert.rejects(sessions.identify(token), { message: "no database" });
    readWith(async () => account);
    assert.equal((await sessions.identify(token)).kind, "employee");
  });

  test("that a newer read has stored outlive the failure of an older read", async () => {
    const { clock, account, sign, sessions, read, readWith } = await open();
    const token = await sign();
    let fail = (_: Error) => {};
    readWith(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    const older = sessions.identify(token);
    await until(() => read() === 1);
    clock.advance(0.5);
    readWith(async () => account);
    await sessions.identify(token);
    fail(new Error("no database"));
    await assert.rejects(older, { message: "no database" });
    await sessions.identify(token);
    assert.equal(read(), 2);
  });

  test("are not used longer when the clock is set back", async () => {
    const { clock, employee, employees, sign, sessions } = await open();
    const token = await sign();
    await sessions.identify(token);
    await employees.setActive(employee.id, false);
    clock.set(new Date(clock.now().getTime() - 3_600_000).toISOString());
    clock.advance(0.5);
    await assert.rejects(sessions.identify(token), refused);
  });
});
