import assert from "node:assert/strict";
import { describe, test } from "node:test";
import postgres from "postgres";
import { batched } from "../../../../../src/adapters/postgres/batching/batch.ts";
import type { StatementSource } from "../../../../../src/adapters/postgres/connection/database.ts";
import { translate } from "../../../../../src/adapters/postgres/connection/sqlstate.ts";
import { type Statement, sql } from "../../../../../src/adapters/postgres/connection/statement.ts";
import { deferred, turns } from "../../../../support/until.ts";

const reported = (code: string, severity = "ERROR") =>
  new postgres.PostgresError({ message: code, code, severity } as never);

/** Squares of numbers, asked of a database that answers statements as the test says, and what was sent. */
function openSquares(
  answer: (numbers: readonly number[]) => Promise<readonly number[]> = async numbers =>
    numbers.map(number => number * number),
) {
  const sent: (readonly number[])[] = [];
  async function query(source: StatementSource): Promise<readonly number[]> {
    const { values } = typeof source === "function" ? source() : source;
    sent.push(values as number[]);
    return answer(values as number[]);
  }
  const statementFor = (numbers: readonly number[]): Statement =>
    numbers.map(number => sql`${number}`).reduce((all, next) => sql`${all}, ${next}`);
  const plan = { query, statementFor, resultsOf: (rows: readonly number[]) => rows };
  return { sent, plan, square: batched(plan) };
}

const statusesOf = async (calls: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map(({ status }) => status);

describe("a batch", () => {
  test("is the calls of one turn: one statement, and each call's result by its position", async () => {
    const { sent, square } = openSquares();
    assert.deepEqual(await Promise.all([2, 3, 2].map(square)), [4, 9, 4]);
    assert.deepEqual(sent, [[2, 3, 2]]);
  });

  test("does not wait for the one before", async () => {
    let answerFirst = () => {};
    const { sent, square } = openSquares(async numbers => {
      if (numbers[0] === 1) await new Promise<void>(resolve => (answerFirst = resolve));
      return numbers;
    });
    const first = square(1);
    await turns();
    assert.equal(await square(2), 2);
    answerFirst();
    assert.equal(await first, 1);
    assert.deepEqual(sent, [[1], [2]]);
  });

  test("that failed before it got a connection takes no more calls", async () => {
    const { plan } = openSquares();
    let isDown = true;
    const square = batched({
      ...plan,
      query: async (source: StatementSource) => {
        if (isDown) throw new Error("no connection");
        return plan.query(source);
      },
    });
    assert.deepEqual(await statusesOf([square(2), square(3)]), ["rejected", "rejected"]);
    isDown = false;
    assert.deepEqual(await Promise.all([square(4), square(5)]), [16, 25]);
  });

  test("takes calls until its statement gets a connection", async () => {
    const { promise: connected, resolve: connect } = deferred();
    const { sent, plan } = openSquares();
    const square = batched({
      ...plan,
      query: async (source: StatementSource) => {
        await connected;
        return plan.query(source);
      },
    });
    const early = square(1);
    await turns();
    const late = square(2);
    connect();
    assert.deepEqual(await Promise.all([early, late, square(3)]), [1, 4, 9]);
    assert.deepEqual(sent, [[1, 2, 3]]);
  });

  test("has 100 calls at most", async () => {
    const { sent, square } = openSquares();
    const numbers = Array.from({ length: 250 }, (_, i) => i);
    assert.deepEqual(
      await Promise.all(numbers.map(square)),
      numbers.map(number => number ** 2),
    );
    assert.deepEqual(
      sent.map(({ length }) => length),
      [100, 100, 50],
    );
  });

  test("that PostgreSQL refuses is run again call by call, so that none suffers from the fault of another", async () => {
    for (const code of ["22003", "23514", "40P01", "53100"]) {
      const { sent, square } = openSquares(async numbers => {
        if (numbers.includes(13)) throw translate(reported(code), "db:5432");
        return numbers;
      });
      const statuses = await statusesOf([1, 13, 3].map(square));
      assert.deepEqual(statuses, ["fulfilled", "rejected", "fulfilled"], code);
      assert.deepEqual(sent, [[1, 13, 3], [1], [13], [3]]);
    }
  });

  for (const [what, error] of [
    ["the end of its connection", Object.assign(new Error("closed"), { code: "CONNECTION_CLOSED" })],
    ["a server that shuts down", reported("57P01")],
    ["a session that ends", reported("XX000", "FATAL")],
    ["a wait for the standby that was cut short", new Error("cut short")],
    ["a result that cannot be read", new RangeError("out of range")],
    ["a garbled error", new postgres.PostgresError({ message: "garbled" } as never)],
  ] as const) {
    test(`may have been committed before ${what}: all its calls fail and none is run again, but later ones`, async () => {
      let isFirst = true;
      const { sent, square } = openSquares(async numbers => {
        if (!isFirst) return numbers;
        isFirst = false;
        throw translate(error, "db:5432");
      });
      assert.deepEqual(await statusesOf([1, 2].map(square)), ["rejected", "rejected"]);
      assert.deepEqual(sent, [[1, 2]]);
      assert.equal(await square(1), 1);
    });
  }

  test("whose rows do not tell the results fails, and is not run again", async () => {
    const broken = new TypeError("a fault of the mapping");
    for (const resultsOf of [
      () => [],
      (rows: readonly number[]) => [...rows, 1],
      () => {
        throw broken;
      },
    ]) {
      const { sent, plan } = openSquares();
      const calls = [1, 2].map(batched({ ...plan, resultsOf }));
      assert.deepEqual(await statusesOf(calls), ["rejected", "rejected"]);
      assert.deepEqual(sent, [[1, 2]]);
    }
  });
});
