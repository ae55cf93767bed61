import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { binaries, RestoreStage } from "../support/restore-stage.ts";

/** The first of them are all of one kind: the new database is being made. */
const alike = 20;

/** Kills a restore at every other step, from the given one on, until one ends before its step; at every fourth of those alike. */
async function killEveryOther(stage: RestoreStage, first: number): Promise<void> {
  for (let step = first; ; step += step < alike ? 4 : 2) {
    stage.machine.killAt(step);
    const { code } = await stage.restore("--gives-up", "2", stage.dump);
    stage.machine.killAt(undefined);
    if (code === 0) {
      assert.ok(step > 20, `${step} steps`);
      return;
    }
    const isOld = stage.commentsIn("maintenance") === "first second third fourth fifth";
    if (!isOld) assert.equal(stage.commentsIn("maintenance"), "first second third", `step ${step}`);
    if (!isOld || stage.signed() !== 7 || stage.signed("maintenance-log@7072.checkpoint") !== 7)
      await stage.isWhole();
    const again = await stage.restore("--gives-up", "2", stage.dump);
    assert.equal(again.code, 0, `step ${step}: ${again.stdout}${again.stderr}`);
    stage.isRestored();
    stage.reset();
  }
}

// On two machines at a time: each step takes two restores.
describe("maintenance-log restore, killed", {
  skip: binaries === undefined && "this machine has no PostgreSQL binaries",
  concurrency: 2,
}, () => {
  for (const [steps, first] of [
    ["odd", 1],
    ["even", 2],
  ] as const)
    test(`at each of its ${steps} steps: the old database is served whole, or the new one, and a second run ends it`, async () => {
      const stage = await RestoreStage.make();
      try {
        await killEveryOther(stage, first);
      } finally {
        await stage.stop();
      }
    });
});
