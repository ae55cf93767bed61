import { killInTurn } from "./kill-in-turn.ts";
import { stablePort } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** Two services on one database; one dies, and its clients go on at the other with the same keys. */
export const twoServices: Scenario = {
  name: "two-services",
  inShort: true,
  async run(trial) {
    const rounds = trial.short ? 1 : 10;
    await using stage = await openStage(trial);
    const otherPort = await stablePort();
    const other = await stage.startAnother(otherPort);
    const load = stage.load({ ports: [stage.port, otherPort], cutsAreFine: true });
    const turns = { rounds, pauseMilliseconds: 100, restMilliseconds: 0 };
    const recoveries = await killInTurn(trial, stage, load, { port: otherPort, service: other }, turns);
    return await conclude(stage, load, { rounds, recoveries });
  },
};
