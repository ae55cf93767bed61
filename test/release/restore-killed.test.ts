import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { binaries, RestoreStage, units } from "../support/restore-stage.ts";

const before = "first second third fourth fifth";

/** Kills a restore at every other step, from the given one on, until one ends before its step; clients write before it is run again. */
async function killEveryOther(stage: RestoreStage, first: number): Promise<void> {
  for (let step = first; ; step += 2) {
    stage.machine.killAt(step);
    const { code } = await stage.restore("--gives-up", "2", stage.dump);
    stage.machine.killAt(undefined);
    const isOld = stage.commentsIn("maintenance") === before;
    if (!isOld) assert.equal(stage.commentsIn("maintenance"), "first second third", `step ${step}`);
    if (code === 0) {
      assert.ok(step > 15, `${step} steps`);
      return;
    }
    const comment = `written-after-step-${step}`;
    await stage.write(comment);
    // With the number of before: what was written since is not given up.
    const again = await stage.restore("--gives-up", isOld ? "2" : "0", stage.dump);
    assert.deepEqual(
      [again.code, stage.running()],
      [1, units],
      `step ${step}: ${again.stdout}${again.stderr}`,
    );
    // Until a service starts, the state files remember the two that were given up before.
    const most = "3";
    const kept = isOld ? before : "first second third";
    assert.match(again.stderr, new RegExp(`the dump lacks ${most} records: .* add --gives-up ${most}$`, "m"));
    assert.equal(stage.commentsIn("maintenance"), `${kept} ${comment}`);
    if (step % 6 <= 1) {
      const last = await stage.restore("--gives-up", most, stage.dump);
      assert.equal(last.code, 0, `step ${step}: ${last.stdout}${last.stderr}`);
      stage.isRestored();
      await stage.goesOn();
      await stage.isWhole();
    }
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
    test(`at each of its ${steps} steps: the old database is served whole, or the new one, and what is written then is given up by its number alone`, async () => {
      const stage = await RestoreStage.make();
      try {
        await killEveryOther(stage, first);
      } finally {
        await stage.stop();
      }
    });
});
