import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong } from "../support/long-form.ts";
import { type Fault, simulate } from "../support/numbering-simulation.ts";

/** A million steps in 5,000. */
const runs = isLong ? 5_000 : 1_000;
const runsWithFault = 5_000;
const seed = Date.now() % 2 ** 31;

test(`${runs} runs of numbering: each committed record gets one number, without gaps, and keeps it`, async t => {
  t.diagnostic(`seed ${seed}`);
  const steps = await simulate(runs, seed);
  t.diagnostic(`${steps} steps`);
  assert.ok(steps >= 200 * runs);
});

const faults: readonly (readonly [Fault, RegExp])[] = [
  ["settles too early", /each committed record has a number|nothing is late/],
  ["accepts a taken index", /numbers have no gap|no number changes|was removed|a record has one number/],
  ["forgets a sequence that was set back", /each committed record has a number|nothing is late/],
];
for (const [fault, promise] of faults) {
  test(`a planted fault is found: it ${fault}`, async t => {
    t.diagnostic(`seed ${seed}`);
    await assert.rejects(simulate(runsWithFault, seed, fault), (error: Error) =>
      promise.test(`${error.message} ${(error.cause as Error | undefined)?.message}`),
    );
  });
}
