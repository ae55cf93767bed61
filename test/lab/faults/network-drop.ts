import { makeCluster } from "./cluster.ts";
import { startRelay } from "./relay.ts";
import type { Scenario } from "./scenario.ts";
import { silence } from "./silence.ts";
import { databaseName, openStage } from "./stage.ts";

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
