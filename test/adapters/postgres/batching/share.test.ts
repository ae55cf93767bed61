import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { share } from "../../../../src/adapters/postgres/batching/gather.ts";
import { DomainError } from "../../../../src/domain/error.ts";

const nextTurn = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)));

describe("equal reads", () => {
  test("of one turn are one read, different ones are not", async () => {
    const keys: string[] = [];
    const read = share(async (key: string, begin) => {
      begin();
      keys.push(key);
      return `${key}${keys.length}`;
    });
    assert.deepEqual(await Promise.all(["a", "b", "a"].map(read)), ["a1", "b2", "a1"]);
  });

  test("are shared until the statement is sent, and never with one that came later", async () => {
    let send = () => {};
    let reads = 0;
    const read = share(async (_: string, begin) => {
      reads += 1;
      const mine = reads;
      if (mine === 1) {
        await new Promise<void>(resolve => {
          send = resolve;
        });
      }
      begin();
      await nextTurn();
      return mine;
    });
    const first = read("a");
    await nextTurn();
    const second = read("a");
    send();
    await Promise.resolve();
    await Promise.resolve();
    const late = read("a");
    assert.deepEqual(await Promise.all([first, second, late]), [1, 1, 2]);
  });

  test("fail together when the records cannot be reached, and later ones do not", async () => {
    let reads = 0;
    const read = share(async (_: string) => {
      reads += 1;
      if (reads === 1) throw new DomainError("UNAVAILABLE", "no");
      return reads;
    });
    const outcomes = await Promise.allSettled([read("a"), read("a")]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.equal(reads, 1);
  });
});
