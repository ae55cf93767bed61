import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, makeCluster } from "./cluster.ts";
import { folder, onExit } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, openStage, query } from "./stage.ts";

const sizeMib = 160;
const leftMib = 4;

/** The disk of PostgreSQL fills up under load, and is freed a little later. */
export const diskFull: Scenario = {
  name: "disk-full",
  inShort: false,
  obstacle() {
    if (process.platform !== "linux") return "a small file system can only be mounted on Linux";
    if (process.getuid?.() !== 0) return "only root can mount a small file system";
    return mountDisk();
  },
  async run(trial) {
    const rounds = trial.short ? 1 : 3;
    const cluster = await makeCluster(trial.binaries, {
      within: disk,
      initdb: ["--wal-segsize=1"],
      settings: ["min_wal_size=2MB", "max_wal_size=16MB"],
    });
    await cluster.start();
    await using stage = await openStage(trial, { cluster });
    try {
      const load = stage.load({ longest: 4_000, refusals: [500, 503] });
      const recoveries: number[] = [];
      const notes: string[] = [];
      for (let round = 0; round < rounds; round++) {
        await load.untilAcknowledged();
        const refused = () => (load.statuses.get(500) ?? 0) + (load.statuses.get(503) ?? 0);
        const before = refused();
        load.strike();
        fill();
        for (let i = 0; i < 300 && refused() < before + 20; i++) await sleep(100);
        await sleep(1_000);
        notes.push(
          refused() > before ? "refused" : "never refused",
          cluster.isRunning() ? "PostgreSQL up" : "PostgreSQL down",
        );
        rmSync(ballast);
        await untilAccepting(cluster);
        recoveries.push(await load.heal());
      }
      const faults = notes.includes("never refused") ? ["the disk was full and nobody was refused"] : [];
      return await conclude(stage, load, { rounds, recoveries, faults, notes: [notes.join(", ")] });
    } finally {
      rmSync(ballast, { force: true });
    }
  },
};

const disk = join(folder, "disk");
const ballast = join(disk, "ballast");

function mountDisk(): string | undefined {
  mkdirSync(disk, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMib}m`, "tmpfs", disk], { stdio: "pipe" });
  } catch (error) {
    return `no small file system can be mounted: ${(error as Error).message.split("\n")[0]}`;
  }
  chmodSync(disk, 0o755);
  onExit(() => execFileSync("umount", ["-l", disk], { stdio: "pipe" }));
  return undefined;
}

function fill(): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leftMib * 2 ** 20)));
}

/** PostgreSQL gives up where it cannot write its log; then it is started again, as a supervisor would. */
async function untilAccepting(cluster: Cluster): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      if (!cluster.isRunning()) await cluster.start();
      await query(cluster.url("postgres"), "select 1");
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error("PostgreSQL does not come back after the disk was freed");
}
