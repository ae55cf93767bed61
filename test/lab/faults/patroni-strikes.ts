import { setTimeout as sleep } from "node:timers/promises";
import type { PatroniStage } from "./patroni-stage.ts";

/** What happens to a cluster, and is over when it settles. */
export interface Strike {
  readonly name: string;
  readonly inShort?: true;
  /** Where the leader is among the hosts of DATABASE_URL. */
  readonly leaderIs?: "first" | "last";
  /** The old leader takes connections and acknowledges no write, so that a service leaves it when a write misses its deadline. */
  readonly oldLeaderAnswers?: boolean;
  strike(stage: PatroniStage): Promise<void>;
}

/** Of deploy/patroni/patroni.yml. */
const [ttlMilliseconds, loopMilliseconds] = [20_000, 5_000];

const freezeLeader = async ({ leader }: PatroniStage) => {
  leader.freeze();
  await sleep(ttlMilliseconds + 15_000);
  leader.thaw();
  await sleep(2 * loopMilliseconds);
};

export const strikes: readonly Strike[] = [
  {
    name: "patroni-switchover",
    inShort: true,
    async strike({ cluster }) {
      await cluster.control("switchover", "--force");
    },
  },
  {
    name: "patroni-postgres-killed",
    async strike({ leader }) {
      await leader.killPostgres();
      await sleep(2 * loopMilliseconds);
    },
  },
  {
    name: "patroni-node-killed",
    async strike({ cluster, leader }) {
      await leader.kill();
      await untilAnotherLeads(cluster, leader.name);
      leader.patroni.start();
    },
  },
  { name: "patroni-frozen-first", strike: freezeLeader },
  { name: "patroni-frozen-last", leaderIs: "last", strike: freezeLeader },
  {
    name: "patroni-hangs",
    oldLeaderAnswers: true,
    async strike({ leader }) {
      leader.freezePatroni();
      await sleep(ttlMilliseconds + 15_000);
      leader.thaw();
      await sleep(2 * loopMilliseconds);
    },
  },
  {
    name: "patroni-standby-killed",
    async strike({ standby }) {
      await standby.kill();
      await sleep(ttlMilliseconds);
      standby.patroni.start();
    },
  },
  {
    name: "patroni-all-etcd",
    async strike({ cluster }) {
      for (const { etcd } of cluster.nodes) await etcd.end("SIGKILL");
      await sleep(2 * ttlMilliseconds);
      for (const { etcd } of cluster.nodes) etcd.start();
      await sleep(2 * loopMilliseconds);
    },
  },
  {
    name: "patroni-one-etcd",
    async strike({ cluster }) {
      const [node] = cluster.nodes;
      await node?.etcd.end("SIGKILL");
      await sleep(ttlMilliseconds);
      node?.etcd.start();
      await sleep(loopMilliseconds);
    },
  },
  {
    name: "patroni-two-etcd",
    async strike({ cluster }) {
      const some = cluster.nodes.slice(0, 2);
      for (const { etcd } of some) await etcd.end("SIGKILL");
      await sleep(2 * ttlMilliseconds);
      for (const { etcd } of some) etcd.start();
      await sleep(2 * loopMilliseconds);
    },
  },
  {
    name: "patroni-reinitialised",
    async strike({ cluster, standby }) {
      await cluster.control("reinit", "maintenance", standby.name, "--force");
      await sleep(2 * loopMilliseconds);
    },
  },
  {
    name: "patroni-service-killed",
    async strike({ cluster, leader, ways }) {
      await leader.kill();
      for (const way of ways) await way.kill();
      await untilAnotherLeads(cluster, leader.name);
      for (const way of ways) await way.restart();
      leader.patroni.start();
    },
  },
];

async function untilAnotherLeads(cluster: PatroniStage["cluster"], before: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const members = await cluster.members();
    if (members.some(({ name, role, state }) => role === "leader" && state === "running" && name !== before))
      return;
    await sleep(100);
  }
  throw new Error("there is no other leader after a minute");
}
