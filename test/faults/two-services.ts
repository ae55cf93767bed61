import { setTimeout as sleep } from "node:timers/promises";
import { stablePort } from "./processes.ts";
import { between } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** Two services on one database; one dies, and its clients go on at the other with the same keys. */
export const twoServices: Scenario = {
  name: "two-services",
  inShort: false,
  async run(trial) {
    const rounds = trial.short ? 1 : 10;
    const stage = await openStage(trial);
    try {
      const otherPort = await stablePort();
      let other = await stage.startAnother(otherPort);
      const load = stage.load({ ports: [stage.port, otherPort], cutsAreFine: true });
      const recoveries: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await sleep(between(trial.random, 100, 800));
        const first = round % 2 === 0;
        await (first ? stage.service() : other).kill();
        recoveries.push(await load.untilAcknowledged());
        await sleep(between(trial.random, 100, 500));
        if (first) await stage.restart();
        else other = await stage.startAnother(otherPort);
      }
      return await conclude(stage, load, { rounds, recoveries });
    } finally {
      await stage.close();
    }
  },
};
