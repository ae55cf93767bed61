import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { makeDaemon } from "./daemon.ts";
import { type ClusterNode, makeNode } from "./node.ts";
import { makePlace, type Place } from "./place.ts";
import type { Programs } from "./programs.ts";

/** Three etcd, three PostgreSQL under Patroni, and HAProxy, on the loopback network. */
export interface PatroniCluster {
  readonly place: Place;
  readonly nodes: readonly ClusterNode[];
  /** What Patroni says of its members (its documentation, "Patroni REST API", /cluster). */
  members(): Promise<readonly Member[]>;
  /** Waits until there is a leader, a synchronous standby, and a second one that streams. */
  untilWhole(): Promise<void>;
  /** Runs patronictl on the cluster. */
  control(...args: readonly string[]): Promise<void>;
  /** Connection URL over all nodes, or over the address that is given. */
  url(user: string, password: string, database: string, hosts?: string): string;
  startProxy(): void;
  /** Ends all of it and removes its data. */
  close(): void;
}

export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

const startMilliseconds = 90_000;

/** HAProxy runs as the user of the place, who cannot become another. */
const withoutUser = { "    user haproxy\n    group haproxy\n": "" };

/** Starts all but HAProxy, and waits until the cluster is whole. */
export async function startCluster(programs: Programs, network: string): Promise<PatroniCluster> {
  await refuseUsedAddresses(network);
  const place = makePlace(network);
  const nodes = ([1, 2, 3] as const).map(number => makeNode(number, place, programs));
  const haproxy = makeDaemon(
    programs.haproxy,
    ["-db", "-q", "-f", place.write("haproxy.cfg", "haproxy.cfg", withoutUser)],
    { cwd: place.folder, log: join(place.folder, "haproxy.log"), user: place.user },
  );
  // Blocks, since it must be done when the process exits too, and starts no process, which a second Ctrl-C would end.
  function destroy(): void {
    haproxy.kill();
    for (const node of nodes) node.destroy();
    for (let attempt = 0; attempt < 50 && !nodes.every(node => node.isGone()); attempt++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
    place.remove();
  }
  process.once("exit", destroy);

  const control = async (...args: readonly string[]) => {
    const [configuration = ""] = nodes.map(node => node.configuration);
    await promisify(execFile)(programs.patronictl, ["-c", configuration, ...args], { timeout: 60_000 });
  };

  const cluster: PatroniCluster = {
    place,
    nodes,
    members: async () => {
      for (const { address } of nodes) {
        const answer = await askPatroni(address, "/cluster");
        if (answer !== undefined) return (answer as { members: Member[] }).members;
      }
      return [];
    },
    async untilWhole() {
      for (const began = performance.now(); performance.now() - began < startMilliseconds; await sleep(100)) {
        const members = await cluster.members();
        const up = members.filter(({ state }) => state === "running" || state === "streaming");
        const roles = up.map(({ role }) => role);
        if (up.length === 3 && roles.includes("leader") && roles.includes("sync_standby")) return;
      }
      throw new Error(`the cluster is not whole after ${startMilliseconds / 1_000} s:\n${lastLines(nodes)}`);
    },
    control,
    url: (user, password, database, hosts = nodes.map(({ address }) => `${address}:5432`).join(",")) =>
      `postgres://${user}:${password}@${hosts}/${database}?target_session_attrs=read-write`,
    startProxy: () => haproxy.start(),
    close() {
      process.off("exit", destroy);
      destroy();
    },
  };

  for (const { etcd } of nodes) etcd.start();
  for (const { patroni } of nodes) patroni.start();
  try {
    await cluster.untilWhole();
  } catch (error) {
    cluster.close();
    throw error;
  }
  return cluster;
}

/** Undefined when Patroni does not answer, or answers no. */
export async function askPatroni(address: string, path: string): Promise<unknown> {
  try {
    const answer = await fetch(`http://${address}:8008${path}`, { signal: AbortSignal.timeout(2_000) });
    const json: unknown = await answer.json();
    return answer.ok ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Throws when something listens there already. */
async function refuseUsedAddresses(network: string): Promise<void> {
  const addresses = [11, 12, 13].flatMap(host =>
    [2379, 2380, 5432, 8008].map(port => ({ host: `${network}.${host}`, port })),
  );
  for (const { host, port } of [...addresses, { host: `${network}.10`, port: 5000 }]) {
    const server = createServer().listen(port, host);
    try {
      await once(server, "listening");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new Error(`cannot listen on ${host}:${port} (${code}): is another cluster running there?`);
    }
    server.close();
    await once(server, "close");
  }
}

const lastLines = (nodes: readonly ClusterNode[]): string =>
  nodes
    .map(({ name, configuration }) => {
      const log = readFileSync(join(configuration, "../patroni.log"), "utf8");
      return `${name}: ${log.trim().split("\n").slice(-5).join("\n  ")}`;
    })
    .join("\n");
