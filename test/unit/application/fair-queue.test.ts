import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FairQueue } from "../../../src/application/fair-queue.ts";

/** Adds jobs, whose line is their first letter; returns those that lost their place. */
const addAll = (queue: FairQueue<string>, jobs: readonly string[]) =>
  jobs.map(job => queue.add(job[0] as string, job)).filter(job => job !== undefined);

const takeAll = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.take());

describe("a fair queue", () => {
  test("takes one job of each line in turn, and those of a line in their order", () => {
    const queue = new FairQueue<string>(10);
    assert.deepEqual(addAll(queue, ["a1", "a2", "a3", "b1", "c1", "c2"]), []);
    assert.deepEqual(takeAll(queue), ["a1", "b1", "c1", "a2", "c2", "a3"]);
    assert.equal(queue.take(), undefined);
  });

  test("lets a new line wait for one job of each other line", () => {
    const queue = new FairQueue<string>(10);
    addAll(queue, ["a1", "a2", "a3", "b1", "b2"]);
    assert.equal(queue.take(), "a1");
    addAll(queue, ["c1"]);
    assert.deepEqual(takeAll(queue), ["b1", "a2", "c1", "b2", "a3"]);
  });

  test("refuses the newest of the longest line when it is full, and what comes now where none is longer", () => {
    const queue = new FairQueue<string>(3);
    assert.deepEqual(addAll(queue, ["a1", "a2", "a3", "a4", "b1", "c1", "c2", "d1"]), [
      "a4",
      "a3",
      "a2",
      "c2",
      "d1",
    ]);
    assert.deepEqual(takeAll(queue), ["a1", "b1", "c1"]);
  });

  test("gives each job out once or refuses it once, and refuses only from the longest line", () => {
    const step = fc.oneof(fc.constantFrom("a", "b", "c", "d"), fc.constant("take"));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (steps, most) => {
        const queue = new FairQueue<string>(most);
        const added: string[] = [];
        const left: string[] = [];
        for (const step of steps) {
          if (step === "take") left.push(...[queue.take()].filter(job => job !== undefined));
          else {
            const job = `${step}${added.length}`;
            added.push(job);
            const waiting = added.filter(each => !left.includes(each));
            const lineOf = (first: string | undefined) => waiting.filter(each => each[0] === first);
            const refused = queue.add(step, job);
            assert.equal(refused !== undefined, waiting.length > most);
            if (refused !== undefined) {
              const line = lineOf(refused[0]);
              assert.equal(line.at(-1), refused);
              assert.ok(waiting.every(each => lineOf(each[0]).length <= line.length));
              left.push(refused);
            }
          }
          assert.ok(queue.size <= most);
        }
        left.push(...takeAll(queue).filter(job => job !== undefined));
        assert.deepEqual(left.toSorted(), added.toSorted());
      }),
    );
  });
});
