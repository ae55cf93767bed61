import { test } from "node:test";
import { simulate } from "../../../../support/pool-simulation.ts";

test("whatever is lost, late or refused: a call settles once and is done once, and no connection is shared or leaks", async t => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await simulate(t.mock.timers, 100, 100);
});
