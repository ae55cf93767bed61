import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, makeCluster, standbyName } from "./cluster.ts";
import { folder, stablePort } from "./processes.ts";
import { type Relay, startRelay } from "./relay.ts";
import type { Scenario, Trial } from "./scenario.ts";
import { conclude, databaseName, openStage, query } from "./stage.ts";
import { trailKey, watchCheckpoints } from "./trail-check.ts";

/** Longer than the deadline of the service, so that it gives writes up which only wait for the standby. */
const stalledMilliseconds = 6_500;

/**
 * The primary dies while its logs are numbered, and its synchronous standby is promoted: the service follows, nothing
 * acknowledged is lost, and the trail goes on from every checkpoint that was answered.
 */
export const failover: Scenario = {
  name: "failover",
  inShort: false,
  run: trial => runFailovers(trial, async () => {}),
};

/** The same, after the standby has not been heard of for a while: what only the primary has may not be acknowledged. */
export const failoverStalled: Scenario = {
  name: "failover-stalled",
  inShort: true,
  run: trial =>
    runFailovers(trial, async relay => {
      relay.drop();
      await sleep(stalledMilliseconds);
    }),
};

async function runFailovers(trial: Trial, beforehand: (relay: Relay) => Promise<void>) {
  const rounds = trial.short ? 1 : 3;
  const ports = [await stablePort(), await stablePort()] as const;
  let primary = await makeCluster(trial.binaries, { port: ports[0] });
  await primary.start();
  const hosts = ports.map(port => `127.0.0.1:${port}`).join(",");
  const serviceUrl = () => `postgres://postgres@${hosts}/${databaseName}?target_session_attrs=read-write`;
  const settings = { TRAIL_KEY: trailKey, TRAIL_STATE_FILE: join(folder, `failover-checkpoint-${ports[0]}`) };
  const stage = await openStage(trial, { cluster: primary, serviceUrl, settings });
  const watch = watchCheckpoints([stage.port], stage.token);
  const relays: Relay[] = [];
  try {
    const load = stage.load();
    const recoveries: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const relay = await startRelay(primary.port);
      relays.push(relay);
      const standby = await addStandby(trial, primary, relay, ports[(round + 1) % 2] ?? ports[0]);
      await load.untilAcknowledged();
      await sleep(500);
      load.strike();
      await beforehand(relay);
      await primary.kill();
      await primary.remove();
      // The promotion itself is part of this recovery.
      const [recovery] = await Promise.all([load.heal(), standby.promote()]);
      recoveries.push(recovery);
      primary = standby;
    }
    await load.stop();
    const { faults, told } = await watch.audit(primary);
    return await conclude(stage, load, { rounds, recoveries, cluster: primary, faults, notes: [told] });
  } finally {
    await watch.stop();
    await stage[Symbol.asyncDispose]();
    await primary.remove();
    for (const relay of relays) await relay.close();
  }
}

/** Starts a standby that hears of the primary through the relay, and waits until commits wait for it. */
async function addStandby(
  { binaries }: Trial,
  primary: Cluster,
  relay: Relay,
  port: number,
): Promise<Cluster> {
  const standbyOf = { port: primary.port, through: relay.port };
  // Whoever waits to ask a dead primary again does not hear that it is to be promoted; 5 s is the default.
  const settings = ["wal_retrieve_retry_interval=100ms"];
  const standby = await makeCluster(binaries, { port, standbyOf, settings });
  await standby.start();
  const url = primary.url("postgres");
  await query(url, `alter system set synchronous_standby_names = '${standbyName}'`);
  await query(url, "select pg_reload_conf()");
  for (let attempt = 0; attempt < 300; attempt++) {
    const [row] = await query(
      url,
      "select count(*)::int as n from pg_stat_replication where sync_state = 'sync'",
    );
    if (row?.["n"] === 1) return standby;
    await sleep(50);
  }
  throw new Error("the standby is not synchronous after 15 s");
}
