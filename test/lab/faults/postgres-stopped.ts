import { setTimeout as sleep } from "node:timers/promises";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** PostgreSQL takes connections and never answers, then goes on as if nothing had been. */
export const postgresStopped: Scenario = {
  name: "postgres-stopped",
  inShort: true,
  async run(trial) {
    const rounds = trial.short ? 1 : 3;
    const stoppedMilliseconds = trial.short ? 6_000 : 8_000;
    const stage = await openStage(trial);
    const { cluster } = stage;
    try {
      // More clients than connections, so that some wait for one.
      const load = stage.load({ clients: 24 });
      const recoveries: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await load.untilAcknowledged();
        await sleep(500);
        load.strike();
        cluster.freeze();
        await sleep(stoppedMilliseconds);
        cluster.thaw();
        recoveries.push(await load.heal());
        await sleep(trial.short ? 3_000 : 4_000);
      }
      const faults = load.statuses.has(503) ? [] : ["nobody was answered 503 while PostgreSQL was stopped"];
      return await conclude(stage, load, { rounds, recoveries, faults });
    } finally {
      await stage.close();
    }
  },
};
