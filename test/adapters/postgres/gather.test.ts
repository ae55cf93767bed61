import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gather } from "../../../src/adapters/postgres/gather.ts";

/** Finds the square of every key but 13, and notes what was asked for. */
function openSquares() {
  const asked: (readonly number[])[] = [];
  const find = gather(async (keys: readonly number[]) => {
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
    const find = gather((keys: readonly number[]) => {
      asked.push([...keys]);
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

  test("fail together, and later ones do not", async () => {
    let attempts = 0;
    const find = gather(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("no");
      return new Map([[1, "one"]]);
    });
    const [first, second] = await Promise.allSettled([find(1), find(2)]);
    assert.deepEqual([first.status, second.status], ["rejected", "rejected"]);
    assert.equal(await find(1), "one");
  });
});
