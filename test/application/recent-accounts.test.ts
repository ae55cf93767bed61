import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EmployeeRepository } from "../../src/application/ports.ts";
import { withRecentAccounts } from "../../src/application/recent-accounts.ts";
import { anEmployee } from "../contract/repositories.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { byOperator } from "../support/by-operator.ts";

/** Remembered accounts over a repository that counts how often it is asked. */
async function open() {
  const clock = makeFakeClock();
  const { employees } = byOperator(makeMemoryRepositories(clock));
  const employee = await employees.insert(anEmployee());
  let asked = 0;
  let findAccount: EmployeeRepository["findAccount"] = email => employees.findAccount(email);
  const counting: EmployeeRepository = {
    ...employees,
    findAccount(email) {
      asked += 1;
      return findAccount(email);
    },
  };
  const recent = withRecentAccounts(counting, clock);
  return {
    clock,
    employee,
    recent,
    asked: () => asked,
    answerWith(other: EmployeeRepository["findAccount"]) {
      findAccount = other;
    },
  };
}

describe("recent accounts", () => {
  test("are asked for once in their time, also by many at once", async () => {
    const { clock, employee, recent, asked } = await open();
    await Promise.all(Array.from({ length: 10 }, () => recent.findAccount(employee.email)));
    clock.advance(0.499);
    await recent.findAccount(employee.email);
    assert.equal(asked(), 1);
    clock.advance(0.001);
    await recent.findAccount(employee.email);
    assert.equal(asked(), 2);
  });

  test("are asked for again when they may be older than a moment", async () => {
    const { clock, employee, recent, asked } = await open();
    const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);
    await recent.findAccount(employee.email);
    await recent.findAccount(employee.email, nowSeconds());
    assert.equal(asked(), 2);
    await recent.findAccount(employee.email, nowSeconds() - 1);
    assert.equal(asked(), 2);
  });

  test("are each employee's own, and those of nobody are remembered too", async () => {
    const { employee, recent, asked } = await open();
    assert.equal((await recent.findAccount(employee.email))?.employee.id, employee.id);
    for (let i = 0; i < 3; i += 1) assert.equal(await recent.findAccount("nobody@example.com"), undefined);
    assert.equal(asked(), 2);
  });

  test("are forgotten when this process changes an employee, also while the answer is under way", async () => {
    const { employee, recent, answerWith } = await open();
    const before = await recent.findAccount(employee.email);
    await recent.setActive(employee.id, false, "operator");
    assert.equal((await recent.findAccount(employee.email))?.employee.active, false);

    let answer = () => {};
    answerWith(async () => {
      await new Promise<void>(resolve => {
        answer = resolve;
      });
      return before;
    });
    const other = "other@example.com";
    const early = recent.findAccount(other);
    await recent.setActive(employee.id, true, "operator");
    answerWith(async () => undefined);
    answer();
    assert.deepEqual(await early, before);
    assert.equal(await recent.findAccount(other), undefined);
  });

  test("are never made up: a failure is passed on, and not remembered", async () => {
    const { clock, employee, recent, answerWith } = await open();
    const account = await recent.findAccount(employee.email);
    clock.advance(1);
    answerWith(async () => {
      throw new Error("no database");
    });
    await assert.rejects(recent.findAccount(employee.email), { message: "no database" });
    answerWith(async () => account);
    assert.equal(await recent.findAccount(employee.email), account);
  });

  test("are not believed when the clock was set back", async () => {
    const { clock, employee, recent, asked } = await open();
    await recent.findAccount(employee.email);
    clock.advance(-60);
    await recent.findAccount(employee.email);
    assert.equal(asked(), 2);
  });
});
