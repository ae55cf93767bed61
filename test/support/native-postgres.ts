import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { listenLocally } from "./listen.ts";

/**
 * The folder of the newest PostgreSQL server of this machine, if it has any. Links to single programs are followed to where
 * psql and pg_dump are, too: Debian's own psql on the path is a script in Perl, which takes four times as long.
 */
export function findPostgresBinaries(): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(":");
  const ofPackages = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].flatMap(folder =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter(name => /^(postgresql@?)?\d*$/.test(name))
          .sort((a, b) => Number(b.replace(/\D/g, "")) - Number(a.replace(/\D/g, "")))
          .map(name => join(folder, name, "bin"))
      : [],
  );
  const found = [...onPath, ...ofPackages].find(
    folder => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
  return found && dirname(realpathSync(join(found, "initdb")));
}

interface Choices {
  /** Further settings, `name=value`. */
  readonly settings?: readonly string[];
  /** Files to put into the data folder, readable by the server alone, by their names. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Memory where there is enough of it: each commit waits for a disk, and no test switches its machine off. */
function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize > 2 ** 31) return "/dev/shm";
  } catch {}
  return tmpdir();
}

/** The command that makes the data of a cluster. A copy of the cluster of TEST_CLUSTER takes a tenth of the time of initdb. */
export function makerOf(data: string, binaries: string, options: readonly string[] = []) {
  const made = process.env["TEST_CLUSTER"];
  if (made !== undefined && options.length === 0) return ["cp", ["-a", made, data]] as const;
  const always = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  return [join(binaries, "initdb"), [...always, ...options]] as const;
}

/** Makes a throw-away cluster in a folder of its own; as root it drops to another user, since PostgreSQL refuses root. */
export function makeCluster(binaries: string) {
  const folder = mkdtempSync(join(fastFolder(), "maintenance-log-test-"));
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  execFileSync(...makerOf(data, binaries), { ...options, stdio: "pipe" });
  return { folder, user, data, options, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export type NativePostgres = Awaited<ReturnType<typeof startNativePostgres>>;

export async function startNativePostgres(binaries: string, choices: Choices = {}) {
  const { folder, user, data, options, remove } = makeCluster(binaries);
  const program = (name: string) => join(binaries, name);
  const port = await freePort();
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    ...(choices.settings ?? []),
  ];
  for (const [name, text] of Object.entries(choices.files ?? {})) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (user !== undefined) chownSync(join(data, name), user.uid, user.gid);
  }
  const server = spawn(program("postgres"), ["-D", data, ...settings.flatMap(setting => ["-c", setting])], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(server, "exit");
  await untilReady(server.stderr);
  return {
    /** Connection URL of a superuser, on loopback. */
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    /** Of its Unix socket. */
    socketFolder: folder,
    version: execFileSync(program("postgres"), ["--version"], { encoding: "utf8" }).trim(),
    async stop() {
      // Fast shutdown: disconnects clients that are still there.
      server.kill("SIGINT");
      await exited;
      remove();
    },
  };
}

export function unprivilegedUser(): { uid: number; gid: number } {
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {}
  }
  throw new Error("PostgreSQL refuses root, and there is no user postgres or nobody to run it as");
}

/** A database on this server. */
export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Where no PostgreSQL is. */
export const nowhere = async (): Promise<string> => `postgres://postgres@127.0.0.1:${await freePort()}/x`;

export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listenLocally(probe);
  probe.close();
  await once(probe, "close");
  return port;
}

async function untilReady(stderr: NodeJS.ReadableStream): Promise<void> {
  const seen: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    seen.push(line);
    if (line.includes("database system is ready to accept connections")) {
      stderr.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start:\n${seen.join("\n")}`);
}
