import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FairQueue } from "../../../src/application/fair-queue.ts";

/** The lines of a job, each within the one before, are its letters. */
const pathOf = (job: string): string[] => [...job.replace(/\d+$/, "")];

/** Adds jobs; returns those that lost their place. */
const addAll = (queue: FairQueue<string>, jobs: readonly string[]) =>
  jobs.map(job => queue.add(pathOf(job), job)).filter(job => job !== undefined);

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

  test("lets lines take turns, and within a line its own lines", () => {
    const queue = new FairQueue<string>(10);
    addAll(queue, ["ax1", "ax2", "ay1", "az1", "bx1", "bx2"]);
    assert.deepEqual(takeAll(queue), ["ax1", "bx1", "ay1", "bx2", "az1", "ax2"]);
  });

  test("refuses a line of many short ones before a line of one, and the longest of them", () => {
    const queue = new FairQueue<string>(5);
    assert.deepEqual(addAll(queue, ["as1", "at1", "at2", "au1", "av1", "bx1", "bx2", "ay1"]), [
      "at2",
      "av1",
      "ay1",
    ]);
    assert.deepEqual(takeAll(queue), ["as1", "bx1", "at1", "bx2", "au1"]);
  });

  test("takes the turns of a model, gives each job out or refuses it once, and refuses only from the longest line", () => {
    const step = fc.oneof(fc.constantFrom("ax", "ay", "az", "bx", "by", "cx"), fc.constant("take"));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (steps, most) => {
        const queue = new FairQueue<string>(most);
        let added = 0;
        let waiting: string[] = [];
        /** When a line had its latest turn or, since it was empty, got its first job. */
        const since = new Map<string, number>();
        const lineOf = (prefix: string) => waiting.filter(job => job.startsWith(prefix));
        const leave = (job: string) => {
          waiting = waiting.filter(each => each !== job);
        };
        const longest = (lines: readonly string[]) => Math.max(...lines.map(line => lineOf(line).length));
        const firstOf = (lines: readonly string[]) =>
          lines
            .filter(line => lineOf(line).length > 0)
            .reduce((a, b) => ((since.get(b) ?? 0) < (since.get(a) ?? 0) ? b : a));
        for (const [now, step] of steps.entries()) {
          if (step !== "take") {
            added += 1;
            const job = `${step}${added}`;
            for (const line of [step.slice(0, 1), step]) if (lineOf(line).length === 0) since.set(line, now);
            waiting.push(job);
            const isFull = waiting.length > most;
            const refused = queue.add(pathOf(job), job);
            assert.equal(refused !== undefined, isFull);
            if (refused !== undefined) {
              const [outer = "", inner = ""] = pathOf(refused);
              assert.equal(lineOf(outer).length, longest(["a", "b", "c"]));
              assert.equal(lineOf(outer + inner).length, longest(["x", "y", "z"].map(name => outer + name)));
              assert.equal(lineOf(outer + inner).at(-1), refused);
              leave(refused);
            }
          } else if (waiting.length > 0) {
            const outer = firstOf(["a", "b", "c"]);
            const inner = firstOf(["x", "y", "z"].map(name => outer + name));
            const job = queue.take();
            assert.equal(job, lineOf(inner)[0]);
            leave(job as string);
            for (const line of [outer, inner]) since.set(line, now);
          } else assert.equal(queue.take(), undefined);
          assert.equal(queue.size, waiting.length);
        }
        assert.deepEqual(takeAll(queue).toSorted(), waiting.toSorted());
      }),
      { numRuns: 500 },
    );
  });
});
