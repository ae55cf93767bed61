import { closeSync, openSync } from "node:fs";
import { Agent } from "node:http";
import { residentMib } from "../../../dev/process-tree.ts";
import { stablePort } from "./processes.ts";
import { type ServiceProcess, startService } from "./program.ts";
import { send } from "./request.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage } from "./stage.ts";

const mostGrowthMib = 64;

/** The reader of the log stalls and comes back, dies, and has a full disk: the service goes on in bounded memory. */
export const logReader: Scenario = {
  name: "log-reader",
  inShort: false,
  obstacle: () => (process.platform === "linux" ? undefined : "only Linux has /dev/full"),
  async run(trial) {
    await using stage = await openStage(trial);
    const services: ServiceProcess[] = [];
    const requests = trial.short ? 2_000 : 10_000;
    const notes: string[] = [];
    const faults: string[] = [];
    const start = async (stdout?: number) => {
      const service = await startService(trial.program, await stablePort(), stage.settings, stdout);
      services.push(service);
      return service;
    };
    /** Each request is a line of the log. */
    const use = async (what: string, { port, pid, death }: ServiceProcess) => {
      const before = residentMib(pid);
      const agent = new Agent({ keepAlive: true, maxSockets: 8 });
      const ask = async () => {
        for (let i = 0; i < requests / 8; i += 1) {
          const { status } = await send(port, "/", { method: "OPTIONS", agent });
          if (status !== 200) faults.push(`${what}: a request was answered ${status}`);
        }
      };
      await Promise.all(Array.from({ length: 8 }, ask));
      agent.destroy();
      const growth = residentMib(pid) - before;
      notes.push(`${what}: ${requests} requests served, RSS grew by ${growth.toFixed(0)} MiB`);
      if (growth > mostGrowthMib) faults.push(`${what}: the service grew by ${growth.toFixed(0)} MiB`);
      if (death() !== undefined) faults.push(`${what}: ${death()}`);
    };
    try {
      const load = stage.load({ clients: 2 });
      const stalled = await start();
      stalled.output?.pause();
      await use("the reader stalls", stalled);
      let lines: string | undefined;
      let tail = "";
      stalled.output?.on("data", (chunk: Buffer) => {
        const text = tail + chunk.toString("utf8");
        lines ??= /"event":"log lines dropped","lines":(\d+)/.exec(text)?.[1];
        tail = text.slice(-200);
      });
      stalled.output?.resume();
      await use("it reads again", stalled);
      notes.push(`${lines ?? "no"} lines were dropped meanwhile`);
      if (lines === undefined && !trial.short) faults.push("the log does not say that lines were dropped");

      const orphaned = await start();
      orphaned.output?.destroy();
      await use("the reader dies", orphaned);

      const full = openSync("/dev/full", "w");
      const withoutDisk = await start(full);
      closeSync(full);
      await use("the disk is full", withoutDisk);
      for (const service of services) await service.stop();
      return await conclude(stage, load, { rounds: 3, notes, faults });
    } finally {
      for (const service of services) await service.kill();
    }
  },
};
