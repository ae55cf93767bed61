import { setTimeout as sleep } from "node:timers/promises";
import { makeCluster } from "./cluster.ts";
import { startRelay } from "./relay.ts";
import type { Scenario } from "./scenario.ts";
import { conclude, databaseName, openStage } from "./stage.ts";

const droppedMilliseconds = 6_000;

/** The network loses everything between service and PostgreSQL without a word, then lets new connections pass. */
export const networkDrop: Scenario = {
  name: "network-drop",
  inShort: true,
  async run(trial) {
    const rounds = trial.short ? 1 : 5;
    const cluster = await makeCluster(trial.binaries);
    await cluster.start();
    const relay = await startRelay(cluster.port);
    const serviceUrl = () => `postgres://postgres@127.0.0.1:${relay.port}/${databaseName}`;
    const stage = await openStage(trial, { cluster, serviceUrl });
    try {
      // More clients than connections, so that some wait for one.
      const load = stage.load({ clients: 24 });
      const recoveries: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await load.untilAcknowledged();
        await sleep(500);
        load.strike();
        relay.drop();
        await sleep(droppedMilliseconds);
        relay.heal();
        recoveries.push(await load.heal());
        await sleep(trial.short ? 3_000 : 4_000);
      }
      const faults = load.statuses.has(503) ? [] : ["nobody was answered 503 while the network was down"];
      return await conclude(stage, load, { rounds, recoveries, faults });
    } finally {
      await stage.close();
      await relay.close();
    }
  },
};
