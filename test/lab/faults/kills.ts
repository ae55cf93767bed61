import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { between } from "./random.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, databaseName, openStage } from "./stage.ts";

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

const everyMilliseconds = 20;
const mostMilliseconds = 180_000;

/** PostgreSQL ends connections of the service at random, again and again: every request is still settled. */
export const backendKill: Scenario = {
  name: "backend-kill",
  inShort: true,
  async run(trial) {
    const wanted = trial.short ? 100 : 2_000;
    await using stage = await openStage(trial);
    const killer = postgres(stage.cluster.url("postgres"), { max: 1, onnotice: () => {} });
    try {
      const load = stage.load({ clients: 12, pauseMilliseconds: 2 });
      const began = performance.now();
      let kills = 0;
      while (kills < wanted && performance.now() - began < mostMilliseconds) {
        const backends = await killer<{ pid: number }[]>`
          select pid from pg_stat_activity
          where datname = ${databaseName} and backend_type = 'client backend' order by pid`;
        const victim = backends[between(trial.random, 0, Math.max(0, backends.length - 1))];
        if (victim !== undefined) {
          const [{ killed } = { killed: false }] = await killer<{ killed: boolean }[]>`
            select pg_terminate_backend(${victim.pid}) as killed`;
          if (killed) kills++;
        }
        await sleep(everyMilliseconds);
      }
      const recovery = await load.untilAcknowledged();
      return await conclude(stage, load, {
        rounds: kills,
        recoveries: [recovery],
        faults: kills < wanted ? [`only ${kills} of ${wanted} kills in ${mostMilliseconds} ms`] : [],
      });
    } finally {
      await killer.end({ timeout: 1 });
    }
  },
};
