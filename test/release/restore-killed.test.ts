import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { binaries, RestoreStage } from "../support/restore-stage.ts";

describe("maintenance-log restore", {
  skip: binaries === undefined && "this machine has no PostgreSQL binaries",
}, () => {
  let stage: RestoreStage;
  before(async () => {
    stage = await RestoreStage.make();
  });
  after(() => stage?.stop());

  test("is killed at each of its steps: the old database is served whole, or the new one, and a second run ends it", async () => {
    for (let step = 1; ; step++) {
      stage.machine.killAt(step);
      const { code } = await stage.restore("--gives-up", "2", stage.dump);
      stage.machine.killAt(undefined);
      if (code === 0) {
        assert.ok(step > 20, `${step} steps`);
        break;
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
  });
});
