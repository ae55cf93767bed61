import { setTimeout as sleep } from "node:timers/promises";
import { between } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** The service dies at a random moment under load, and starts again: what was acknowledged is there once. */
export const serviceKill: Scenario = {
  name: "service-kill",
  inShort: true,
  async run(trial) {
    const rounds = trial.short ? 2 : 50;
    await using stage = await openStage(trial);
    const load = stage.load({ cutsAreFine: true });
    const recoveries: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await load.untilAcknowledged();
      await sleep(between(trial.random, 50, 500));
      await stage.service().kill();
      const began = performance.now();
      await stage.restart();
      await load.untilAcknowledged();
      recoveries.push(performance.now() - began);
    }
    // The start of the process is part of this recovery.
    return await conclude(stage, load, { rounds, recoveries, recoveryLimit: 5_000 });
  },
};
