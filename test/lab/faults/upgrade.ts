import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { folder, stablePort } from "./processes.ts";
import { buildCommit, hasCommit, runCommand } from "./program.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, databaseName, openStage } from "./stage.ts";
import { trailKey, untilCovered, verifierKey, watchCheckpoints } from "./trail-check.ts";

/** The oldest commit whose database is upgraded: no migration has changed since. */
const oldest = "325b606";
const restMilliseconds = 1_000;

/** Two services of an older version work; `migrate` of this version, and then one service after the other is replaced. */
export const upgrade: Scenario = {
  name: "upgrade",
  inShort: true,
  obstacle: () => (hasCommit(oldest) ? undefined : `commit ${oldest} is not in this clone`),
  async run(trial) {
    const stateFile = join(folder, "upgrade-checkpoint");
    const otherFile = `${stateFile}-of-another`;
    const settings = { TRAIL_KEY: trailKey, TRAIL_STATE_FILE: stateFile };
    await using stage = await openStage({ ...trial, program: buildCommit(oldest) }, { settings });
    const { cluster, token, port } = stage;
    await untilCovered(cluster, token, [port]);
    copyFileSync(stateFile, otherFile);
    const otherPort = await stablePort();
    const ports = [port, otherPort];
    const ofOther = { TRAIL_STATE_FILE: otherFile };
    const other = await stage.startAnother(otherPort, ofOther);
    const watch = watchCheckpoints(ports, token);
    try {
      const load = stage.load({ ports, cutsAreFine: true });
      const owner = { DATABASE_URL: cluster.url(databaseName) };
      await sleep(restMilliseconds);
      await runCommand(trial.program, ["migrate"], { ...owner, TRAIL_STATE_FILE: stateFile });
      // The older version works on, on the newer schema.
      await sleep(restMilliseconds);
      await stage.service().stop();
      await stage.restart(trial.program);
      await sleep(restMilliseconds);
      await other.stop();
      await stage.startAnother(otherPort, ofOther, trial.program);
      await sleep(restMilliseconds);
      await load.stop();
      const { faults, told } = await watch.audit(cluster);
      for (const TRAIL_STATE_FILE of [stateFile, otherFile])
        await runCommand(trial.program, ["verify", "--database", "--key", verifierKey], {
          ...owner,
          TRAIL_STATE_FILE,
        });
      return await conclude(stage, load, { rounds: 1, notes: [`from ${oldest}; ${told}`], faults });
    } finally {
      await watch.stop();
    }
  },
};
