import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "../../../support/numbering-simulation.ts";

test("twenty thousand steps of processes that number beside transactions, promotions and sequences that are set back", async t => {
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  assert.ok((await simulate(120, seed)) >= 20_000);
});
