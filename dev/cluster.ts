import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import { type PatroniCluster, startCluster } from "./cluster/cluster.ts";
import { makeDaemon } from "./cluster/daemon.ts";
import { type ClusterDatabase, prepareDatabase } from "./cluster/database.ts";
import { findPrograms } from "./cluster/programs.ts";

/**
 * `make cluster`: what docs/cluster.md describes for several machines, on the loopback network of this one: three etcd,
 * three PostgreSQL under Patroni, HAProxy before two services. It ends with this process, and nothing of it stays.
 */
const network = process.env["CLUSTER_NETWORK"] ?? "127.0.0";
/** By HAProxy. */
const leader = `${network}.10:5000`;
const adminEmail = "admin@example.com";
const adminPassword = randomBytes(12).toString("base64url");

// Not once: a second Ctrl-C must not interrupt the end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(0));
// A terminal that is closed, or a parent that is killed, need not send a signal.
const parent = process.ppid;
const terminal = isatty(1);
setInterval(() => {
  if (process.ppid !== parent || isatty(1) !== terminal) process.exit(0);
}, 1_000);

try {
  await run();
} catch (error) {
  console.error(`cluster: ${(error as Error).message}`);
  process.exit(1);
}

async function run(): Promise<void> {
  if (!/^127\.\d{1,3}\.\d{1,3}$/.test(network)) {
    throw new Error(
      "CLUSTER_NETWORK is not the first three bytes of loopback addresses, 127.0.1 for example",
    );
  }
  const programs = findPrograms();
  if ("missing" in programs) throw new Error(`missing here: ${programs.missing.join("; ")}`);
  console.log("Starting three etcd and three PostgreSQL under Patroni; this takes some 20 seconds.");
  const cluster = await startCluster(programs, network);
  cluster.startProxy();
  const database = await prepareDatabase(cluster);
  const asOwner = { DATABASE_URL: database.ownerUrl(leader) };
  command(["migrate"], asOwner);
  command(["create-admin", "--email", adminEmail], {
    ...asOwner,
    ADMIN_PASSWORD: adminPassword,
  });
  const { stdout: trailKey, stderr: verifierKey } = command(["trail-key", "cluster.example.com"]);
  await startServices(cluster, database, trailKey.trim());
  const api = `http://${network}.10:8080`;
  const responds = async () =>
    (await fetch(`${api}/`, { method: "OPTIONS" }).catch(() => undefined))?.ok === true;
  await until(responds, `${api} does not respond`);
  introduce(api, cluster, database, programs.patronictl, verifierKey.trim());
}

async function startServices({ place }: PatroniCluster, database: ClusterDatabase, trailKey: string) {
  const secret = randomBytes(48).toString("base64url");
  const states = join(place.folder, "states");
  mkdirSync(states);
  const [first, second] = [`${network}.21`, `${network}.22`] as const;
  const checkpointOf = (host: string) => join(states, `${host}.checkpoint`);
  for (const host of [first, second]) {
    // It begins with the last checkpoint of the first, or would sign nothing.
    if (host === second) {
      await until(() => existsSync(checkpointOf(first)), `${first} signs nothing`);
      copyFileSync(checkpointOf(first), checkpointOf(second));
    }
    const service = makeDaemon(process.execPath, ["--import", "tsx", "src/main.ts", "serve"], {
      cwd: process.cwd(),
      log: join(place.folder, `service-${host}.log`),
      restarts: true,
      environment: {
        DATABASE_URL: database.serviceUrl(leader),
        SECRET_KEY: secret,
        TRAIL_KEY: trailKey,
        TRAIL_STATE_FILE: checkpointOf(host),
        TRUSTED_PROXIES: `${network}.10`,
        HOST: host,
        OPS_HOST: host,
        OPS_PORT: "7071",
      },
    });
    process.once("exit", service.kill);
    service.start();
  }
}

/** Runs a command of the service to its end, which throws what it says when it fails. */
function command(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "src/main.ts", ...args],
    { env: { PATH: process.env["PATH"], ...environment }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr.trim());
  return { stdout, stderr };
}

async function until(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await isSo()) return;
    await sleep(100);
  }
  throw new Error(`${otherwise}, after 30 s`);
}

function introduce(
  api: string,
  { place, nodes }: PatroniCluster,
  database: ClusterDatabase,
  patronictl: string,
  verifierKey: string,
): void {
  const [first] = nodes;
  const patroni = `${patronictl} -c ${first?.configuration}`;
  const login = JSON.stringify({ email: adminEmail, password: adminPassword });
  console.log(`
  API         ${api}, by HAProxy to one of the services
  ADMIN       ${adminEmail}
  password    ${adminPassword}
  services    http://${network}.21:7070 and http://${network}.22:7070; how they do: http://${network}.21:7071
  trail       signed; --key ${verifierKey}
  database    ${database.superuserUrl(leader)}, by HAProxy to the leader
  its owner   ${database.ownerUrl(leader)}
  Patroni     ${nodes.map(({ address }) => `http://${address}:8008`).join(", ")}
  etcd        ${nodes.map(({ address }) => `http://${address}:2379`).join(", ")}
  files       ${place.folder}: the logs, and the configuration as it is used

  ${patroni} list
  ${patroni} switchover --force
  curl -s ${api}/api/v1/auth/login -H 'Content-Type: application/json' -d '${login}'

  Ctrl-C ends all of it and removes the files.
`);
}
