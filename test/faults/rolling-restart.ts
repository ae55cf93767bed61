import { setTimeout as sleep } from "node:timers/promises";
import { stablePort } from "./processes.ts";
import { type ServiceProcess, startService } from "./program.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

/** Two services share a port and are restarted in turn under load: no request is dropped. */
export const rollingRestart: Scenario = {
  name: "rolling-restart",
  inShort: false,
  obstacle() {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const isNewEnough = major > 22 || (major === 22 && minor >= 12);
    return isNewEnough ? undefined : "Node 22.12 or newer is needed";
  },
  async run(trial) {
    const rounds = trial.short ? 2 : 10;
    const stage = await openStage(trial);
    const port = await stablePort();
    const start = () => startService(trial.program, port, { ...stage.settings, REUSE_PORT: "yes" });
    const services: ServiceProcess[] = [];
    try {
      services.push(await start(), await start());
      const load = stage.load({ ports: [port] });
      for (let round = 0; round < rounds; round++) {
        await load.untilAcknowledged();
        await sleep(300);
        // The oldest one; its connections end after their answers.
        await services.shift()?.stop();
        await load.untilAcknowledged();
        services.push(await start());
      }
      return await conclude(stage, load, { rounds });
    } finally {
      for (const service of services) await service.kill();
      await stage.close();
    }
  },
};
