import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FairQueue } from "../../../src/application/fair-queue.ts";

/** The lines of a job, each within the one before, are its letters. */
const pathOf = (job: string): string[] => [...job.replace(/\d+$/, "")];

const takeAll = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.take());

test("a fair queue takes the turns of a model, gives each job out or refuses it once, and refuses only from the longest line", () => {
  const step = fc.oneof(fc.constantFrom("ax", "ay", "az", "bx", "by", "cx"), fc.constant("take"));
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60, size: "max" }),
      fc.integer({ min: 1, max: 8 }),
      (steps, most) => {
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
              // Where none is longer than the lines of what comes now, that is refused.
              const [own = "", within = ""] = pathOf(job);
              const isOuterLongest = lineOf(own).length === lineOf(outer).length;
              const lengths = ["x", "y", "z"].map(name => lineOf(own + name).length);
              if (isOuterLongest && lineOf(own + within).length === Math.max(...lengths))
                assert.equal(refused, job);
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
      },
    ),
    { numRuns: 300 },
  );
});
