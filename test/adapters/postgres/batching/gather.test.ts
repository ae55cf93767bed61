import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gather } from "../../../../src/adapters/postgres/batching/gather.ts";
import { DomainError } from "../../../../src/domain/error.ts";

/** Finds the square of every key but 13, and notes what was asked for. */
function openSquares() {
  const asked: (readonly number[])[] = [];
  const find = gather<number, number>(async take => {
    const keys = take();
    asked.push([...keys]);
    return new Map(keys.filter(key => key !== 13).map(key => [key, key * key] as const));
  });
  return { asked, find };
}

describe("gathered calls", () => {
  test("of one turn are one statement, each with its own answer", async () => {
    const { asked, find } = openSquares();
    assert.deepEqual(await Promise.all([2, 13, 3, 2].map(find)), [4, undefined, 9, 4]);
    assert.deepEqual(asked, [[2, 13, 3, 2]]);
  });

  test("of different turns are different statements, and do not wait for each other", async () => {
    let answer = (_: ReadonlyMap<number, number>) => {};
    const asked: (readonly number[])[] = [];
    const find = gather<number, number>(take => {
      asked.push([...take()]);
      return new Promise<ReadonlyMap<number, number>>(resolve => {
        if (asked.length === 1) answer = resolve;
        else resolve(new Map([[2, 4]]));
      });
    });
    const first = find(1);
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    assert.equal(await find(2), 4);
    answer(new Map([[1, 1]]));
    assert.equal(await first, 1);
    assert.deepEqual(asked, [[1], [2]]);
  });

  test("may come until the statement is about to be sent", async () => {
    let lend = () => {};
    const lent = new Promise<void>(resolve => {
      lend = resolve;
    });
    const asked: (readonly number[])[] = [];
    const find = gather<number, number>(async take => {
      if (asked.length === 0) await lent;
      const keys = take();
      asked.push([...keys]);
      return new Map(keys.map(key => [key, key]));
    });
    const early = find(1);
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    const late = find(2);
    lend();
    assert.deepEqual(await Promise.all([early, late, find(3)]), [1, 2, 3]);
    assert.deepEqual(asked, [[1, 2, 3]]);
  });

  test("are no more than 100 in one statement", async () => {
    const { asked, find } = openSquares();
    const keys = Array.from({ length: 250 }, (_, i) => i + 100);
    assert.deepEqual(
      await Promise.all(keys.map(find)),
      keys.map(key => key * key),
    );
    assert.deepEqual(
      asked.map(({ length }) => length),
      [100, 100, 50],
    );
  });

  test("fail together while the database is not available, and later ones do not", async () => {
    let attempts = 0;
    const find = gather<number, string>(async () => {
      attempts += 1;
      if (attempts === 1) throw new DomainError("UNAVAILABLE", "The database is not available");
      return new Map([[1, "one"]]);
    });
    const outcomes = await Promise.allSettled([find(1), find(2)]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.equal(attempts, 1, "what may have been done is not done again");
    assert.equal(await find(1), "one");
  });

  test("do not suffer from the fault of one among them", async () => {
    const find = gather<number, number>(async take => {
      const keys = take();
      if (keys.includes(13)) throw new Error("13 is refused");
      return new Map(keys.map(key => [key, key]));
    });
    const [first, poison, third] = await Promise.allSettled([find(1), find(13), find(3)]);
    assert.deepEqual(
      [first, poison.status, third],
      [{ status: "fulfilled", value: 1 }, "rejected", { status: "fulfilled", value: 3 }],
    );
  });
});
