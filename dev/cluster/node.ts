import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { killTreeOf, signalOne, signalTree, untilGone } from "../process-tree.ts";
import { type Daemon, makeDaemon } from "./daemon.ts";
import type { Place } from "./place.ts";
import type { Programs } from "./programs.ts";

/** One of the three machines: etcd, Patroni, and the PostgreSQL that Patroni starts. */
export interface ClusterNode {
  readonly name: string;
  readonly address: string;
  /** Path of patroni.yml. */
  readonly configuration: string;
  readonly etcd: Daemon;
  readonly patroni: Daemon;
  /** SIGKILL for PostgreSQL and all its processes. */
  killPostgres(): Promise<void>;
  /** SIGKILL for Patroni and PostgreSQL. */
  kill(): Promise<void>;
  /** SIGSTOP for Patroni, and SIGCONT. PostgreSQL goes on. */
  freezePatroni(): void;
  /** SIGSTOP for Patroni and PostgreSQL, and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** Ends all of it at once, without waiting. */
  destroy(): void;
  isGone(): boolean;
}

export function makeNode(number: 1 | 2 | 3, place: Place, programs: Programs): ClusterNode {
  const name = `node${number}`;
  const address = `10.0.0.1${number}`;
  const home = place.makeFolder(name);
  const data = join(home, "15/maintenance");
  const replaced = { NODE_NAME: name, NODE_ADDRESS: address };

  const environmentFile = place.write("etcd", `${name}/etcd.env`, { ...replaced, "/var/lib/etcd": home });
  const settings = [...readFileSync(environmentFile, "utf8").matchAll(/^(ETCD_\w+)=(.*)$/gm)];
  const configuration = place.write("patroni.yml", `${name}/patroni.yml`, {
    ...replaced,
    SUPERUSER_PASSWORD: place.passwords.superuser,
    REPLICATION_PASSWORD: place.passwords.replication,
    "/usr/lib/postgresql/15/bin": programs.postgres,
    "/var/lib/postgresql": home,
    "/run/postgresql": home,
    // This machine is not to be restarted.
    "mode: automatic": "mode: off",
  });
  const choices = { cwd: home, user: place.user };
  const etcd = makeDaemon(programs.etcd, [], {
    ...choices,
    log: join(home, "etcd.log"),
    environment: Object.fromEntries(settings.map(([, key = "", value = ""]) => [key, value])),
  });
  const patroni = makeDaemon(programs.patroni, [configuration], {
    ...choices,
    log: join(home, "patroni.log"),
  });
  const postmaster = () => postmasterOf(data);
  let frozen = false;

  return {
    name,
    address: place.address(address),
    configuration,
    etcd,
    patroni,
    async killPostgres() {
      const pid = postmaster();
      if (pid !== undefined) await untilGone(killTreeOf(pid));
    },
    async kill() {
      await patroni.end("SIGKILL");
      await this.killPostgres();
    },
    freezePatroni() {
      frozen = true;
      const pid = patroni.pid();
      if (pid !== undefined) signalOne(pid, "SIGSTOP");
    },
    freeze() {
      frozen = true;
      for (const pid of [patroni.pid(), postmaster()]) if (pid !== undefined) signalTree(pid, "SIGSTOP");
    },
    thaw() {
      frozen = false;
      for (const pid of [postmaster(), patroni.pid()]) if (pid !== undefined) signalTree(pid, "SIGCONT");
    },
    destroy() {
      if (frozen) this.thaw();
      patroni.kill();
      etcd.kill();
      const pid = postmaster();
      // An immediate stop, which frees its shared memory, as SIGKILL does not.
      if (pid !== undefined) signalOne(pid, "SIGQUIT");
    },
    isGone: () => [etcd.pid(), patroni.pid(), postmaster()].every(pid => pid === undefined || !isAlive(pid)),
  };
}

/** Looks for itself, since the process may block and hear of nothing; a zombie has ended. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The server whose working folder is this one; the file may be older than the machine's last start. */
function postmasterOf(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0]);
    return readlinkSync(`/proc/${pid}/cwd`) === data ? pid : undefined;
  } catch {
    return undefined;
  }
}
