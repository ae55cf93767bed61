import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { signalTree, untilGone } from "../../../dev/process-tree.ts";
import { makerOf, unprivilegedUser } from "../../support/native-postgres.ts";
import { folder, killTree, own, stablePort, untilExited } from "./processes.ts";

interface Choices {
  /** Parent of the data directory. */
  readonly within?: string;
  readonly port?: number;
  readonly settings?: readonly string[];
  readonly initdb?: readonly string[];
  /** Makes it a standby of the server on this port, by way of `through` if that is given. */
  readonly standbyOf?: { readonly port: number; readonly through?: number };
}

/** The name under which a standby streams. */
export const standbyName = "standby";

let made = 0;

export type Cluster = Awaited<ReturnType<typeof makeCluster>>;

/**
 * Makes one PostgreSQL server, with everything that can happen to it, and does not start it yet; PostgreSQL refuses root, so
 * as root it runs as another user.
 */
export async function makeCluster(binaries: string, choices: Choices = {}) {
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  const home = join(choices.within ?? folder, `cluster-${made++}`);
  mkdirSync(home);
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const data = join(home, "data");
  const options = { ...user, cwd: home, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  const program = (name: string) => join(binaries, name);
  // Nothing may block here: relays and clients live in this process.
  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(program, args, { ...options, timeout: 60_000 });

  const { standbyOf } = choices;
  if (standbyOf === undefined) {
    await run(...makerOf(data, binaries, choices.initdb));
  } else {
    const source = (port: number) =>
      `host=127.0.0.1 port=${port} user=postgres application_name=${standbyName}`;
    await run(program("pg_basebackup"), [
      "-D",
      data,
      "-R",
      "-X",
      "stream",
      "-c",
      "fast",
      "--no-sync",
      "-d",
      source(standbyOf.through ?? standbyOf.port),
    ]);
  }
  const port = choices.port ?? (await stablePort());
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=32MB",
    "fsync=on",
    "synchronous_commit=on",
    ...(choices.settings ?? []),
  ];
  let server: ChildProcess | undefined;
  const running = () => {
    if (server?.pid === undefined) throw new Error("PostgreSQL is not running");
    return { server, pid: server.pid };
  };

  return {
    port,
    /** Connection URL of a superuser. */
    url: (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    /** Starts it, after a crash too, and waits until it accepts connections. */
    async start() {
      const args = ["-D", data, ...settings.flatMap(setting => ["-c", setting])];
      server = own(spawn(program("postgres"), args, { ...options, stdio: ["ignore", "ignore", "pipe"] }));
      await untilReady(server);
    },
    /** SIGKILL for the postmaster and all its children. */
    async kill() {
      const { server } = running();
      const killed = killTree(server);
      await untilExited(server);
      await untilGone(killed);
    },
    /** `pg_ctl stop -m immediate`: no checkpoint, recovery at the next start. */
    async stopImmediately() {
      const { server } = running();
      server.kill("SIGQUIT");
      await untilExited(server);
    },
    freeze: () => signalTree(running().pid, "SIGSTOP"),
    thaw: () => signalTree(running().pid, "SIGCONT"),
    async promote() {
      await run(program("pg_ctl"), ["promote", "-D", data, "-w", "-t", "30"]);
    },
    isRunning: () => server !== undefined && server.exitCode === null && server.signalCode === null,
    /** Ends it and removes its data. */
    async remove() {
      if (server !== undefined) {
        const killed = killTree(server);
        await untilExited(server);
        await untilGone(killed);
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function untilReady(server: ChildProcess): Promise<void> {
  const seen: string[] = [];
  if (server.stderr === null) throw new Error("PostgreSQL has no standard error");
  const lines = createInterface({ input: server.stderr });
  for await (const line of lines) {
    seen.push(line);
    if (/ready to accept (read-only )?connections/.test(line)) {
      server.stderr.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start:\n${seen.slice(-20).join("\n")}`);
}
