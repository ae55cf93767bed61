import { setTimeout as sleep } from "node:timers/promises";
import { makeCluster } from "./cluster.ts";
import { startRelay } from "./relay.ts";
import type { Outcome, Scenario, Trial } from "./scenario.ts";
import { conclude, databaseName, openStage, type Stage } from "./stage.ts";

/** PostgreSQL takes connections and never answers, then goes on as if nothing had been. */
export const postgresStopped: Scenario = {
  name: "postgres-stopped",
  inShort: true,
  async run(trial) {
    await using stage = await openStage(trial);
    const { freeze, thaw } = stage.cluster;
    const [rounds, milliseconds] = trial.short ? [1, 6_000] : [3, 8_000];
    return await silence(trial, stage, { rounds, milliseconds, begin: freeze, end: thaw });
  },
};

/** The network loses everything between service and PostgreSQL without a word, then lets new connections pass. */
export const networkDrop: Scenario = {
  name: "network-drop",
  inShort: true,
  async run(trial) {
    const cluster = await makeCluster(trial.binaries);
    await cluster.start();
    const relay = await startRelay(cluster.port);
    const serviceUrl = () => `postgres://postgres@127.0.0.1:${relay.port}/${databaseName}`;
    try {
      await using stage = await openStage(trial, { cluster, serviceUrl });
      const rounds = trial.short ? 1 : 5;
      return await silence(trial, stage, { rounds, milliseconds: 6_000, begin: relay.drop, end: relay.heal });
    } finally {
      await relay.close();
    }
  },
};

interface Silence {
  readonly rounds: number;
  readonly milliseconds: number;
  begin(): void;
  end(): void;
}

/** Lets PostgreSQL say nothing for a while under load, some times: who waits too long is told 503. */
export async function silence(
  { short }: Trial,
  stage: Stage,
  { rounds, milliseconds, begin, end }: Silence,
): Promise<Outcome> {
  // More clients than connections, so that some wait for one.
  const load = stage.load({ clients: 24 });
  const recoveries: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await load.untilAcknowledged();
    await sleep(500);
    load.strike();
    begin();
    await sleep(milliseconds);
    end();
    recoveries.push(await load.heal());
    await sleep(short ? 3_000 : 4_000);
  }
  const faults = load.statuses.has(503) ? [] : ["nobody was answered 503 while PostgreSQL was silent"];
  return conclude(stage, load, { rounds, recoveries, faults });
}
