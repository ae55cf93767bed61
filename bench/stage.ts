import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { makeArgon2PasswordHasher } from "../src/adapters/argon2-password-hasher.ts";
import { type Cluster, makeCluster } from "../test/lab/faults/cluster.ts";
import { own, stablePort, untilExited } from "../test/lab/faults/processes.ts";
import { runCommand } from "../test/lab/faults/program.ts";
import { send } from "../test/lab/faults/request.ts";
import { emailOf, password, seedLogs, seedOwners } from "./seed.ts";

/** A PostgreSQL with seeded data, and the compiled service on it. */
export interface Stage {
  readonly url: string;
  readonly sql: postgres.Sql;
  readonly postgresPid: number;
  readonly postgresVersion: string;
  /** Starts the service in a process of its own, with these settings besides the usual ones. */
  serve(more?: Readonly<Record<string, string>>, otherProgram?: string): Promise<Serving>;
  close(): Promise<void>;
}

/** A service under way, and the token of an ADMIN. */
export interface Serving {
  readonly port: number;
  readonly pid: number;
  readonly token: string;
  stop(): Promise<void>;
}

const database = "bench";
/** PostgreSQL's defaults, with the memory of a small server; every commit is on the disk before it is acknowledged. */
const settings = ["shared_buffers=256MB", "max_wal_size=4GB"];

export async function openStage(binaries: string, program: string, logs: number): Promise<Stage> {
  const cluster = await makeCluster(binaries, { settings });
  await cluster.start();
  const url = await createDatabase(cluster);
  await runCommand(program, ["migrate"], { DATABASE_URL: url });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await seedOwners(sql, await makeArgon2PasswordHasher().hash(password, ["operator"]));
  await seedLogs(sql, logs);
  const [shown] = await sql<{ folder: string; version: string }[]>`
    select current_setting('data_directory') as folder, current_setting('server_version') as version`;
  const pidFile = join(shown?.folder ?? "", "postmaster.pid");
  return {
    url,
    sql,
    postgresPid: Number.parseInt(readFileSync(pidFile, "utf8"), 10),
    postgresVersion: shown?.version ?? "",
    serve: (more = {}, otherProgram = program) => serve(otherProgram, url, more),
    async close() {
      await sql.end({ timeout: 1 });
      await cluster.remove();
    },
  };
}

/** Without a line for each request, since nobody reads them here. */
async function serve(program: string, url: string, more: Readonly<Record<string, string>>): Promise<Serving> {
  const port = await stablePort();
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: url,
    SECRET_KEY: "a secret of the bench, of more than thirty-two bytes",
    TOKEN_EXPIRE_TIME: "12h",
    LOG_LEVEL: "warn",
    PORT: String(port),
    ...more,
  };
  const child = own(
    spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "ignore", "inherit"] }),
  );
  const token = await logIn(port);
  return {
    port,
    pid: child.pid ?? 0,
    token,
    async stop() {
      child.kill("SIGTERM");
      await untilExited(child);
    },
  };
}

/** Tries until the service listens, for ten seconds at most. */
async function logIn(port: number): Promise<string> {
  const body = { email: emailOf(1), password };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { status, json } = await send(port, "/api/v1/auth/login", { method: "POST", body });
      if (status === 200) return (json as { token: string }).token;
      throw new Error(`the login was answered ${status}`);
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    }
  }
}

async function createDatabase(cluster: Cluster): Promise<string> {
  const server = postgres(cluster.url("postgres"), { max: 1 });
  await server.unsafe(`create database ${database}`);
  await server.end();
  return cluster.url(database);
}
