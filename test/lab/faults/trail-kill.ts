import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { folder, stablePort } from "./processes.ts";
import { between } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";
import { trailKey, watchCheckpoints } from "./trail-check.ts";

/** Two services number and sign at once, and die in turn, PostgreSQL in between: no gap, no double, every root right. */
export const trailKill: Scenario = {
  name: "trail-kill",
  inShort: true,
  async run(trial) {
    const rounds = trial.short ? 2 : 30;
    const stateFile = join(folder, "trail-kill-checkpoint");
    const trail = { TRAIL_KEY: trailKey, TRAIL_STATE_FILE: stateFile };
    await using stage = await openStage(trial, { settings: trail });
    const otherPort = await stablePort();
    const ports = [stage.port, otherPort];
    const watch = watchCheckpoints(ports, stage.token);
    try {
      let other = await stage.startAnother(otherPort);
      const load = stage.load({ ports, cutsAreFine: true });
      for (let round = 0; round < rounds; round++) {
        await load.untilAcknowledged();
        await sleep(between(trial.random, 300, 1_500));
        load.strike();
        if (round % 3 === 1) {
          await stage.cluster.kill();
          await stage.cluster.start();
        } else if (round % 3 === 0) {
          await stage.service().kill();
          await stage.restart();
        } else {
          await other.kill();
          other = await stage.startAnother(otherPort);
        }
        await load.heal();
      }
      await load.untilAcknowledged();
      await load.stop();
      const { faults, told } = await watch.audit(stage.cluster);
      return await conclude(stage, load, { rounds, notes: [told], faults });
    } finally {
      await watch.stop();
    }
  },
};
