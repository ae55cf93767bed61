import { test } from "node:test";
import { isLong } from "../support/long-form.ts";
import { simulate } from "../support/pool-simulation.ts";

/** Of 400 steps on average. */
const runs = isLong ? 2_500 : 500;

test(`${runs} runs of pool and batch: a call settles once and is done once, and no connection is shared or leaks`, async t => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await simulate(t.mock.timers, runs, 500);
});
