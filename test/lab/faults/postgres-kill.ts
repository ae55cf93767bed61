import { setTimeout as sleep } from "node:timers/promises";
import { between } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** PostgreSQL dies with all its processes, or is stopped without a checkpoint, and starts again a little later. */
export const postgresKill: Scenario = {
  name: "postgres-kill",
  inShort: true,
  async run(trial) {
    const rounds = trial.short ? 1 : 20;
    await using stage = await openStage(trial);
    const { cluster } = stage;
    const load = stage.load();
    const recoveries: number[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const strike of [cluster.kill, cluster.stopImmediately]) {
        await load.untilAcknowledged();
        await sleep(between(trial.random, 50, 500));
        load.strike();
        await strike();
        await sleep(between(trial.random, 0, 1_000));
        await cluster.start();
        recoveries.push(await load.heal());
      }
    }
    return await conclude(stage, load, {
      rounds,
      recoveries,
      notes: ["each round: SIGKILL, then immediate stop"],
    });
  },
};
