import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";

/**
 * `make run`: the service on its own PostgreSQL, or on the one of DATABASE_URL, with a first ADMIN.
 * What must survive a restart is kept in DATA_FOLDER (.data): the records, the signing secret, the ADMIN's password.
 */
const adminEmail = "admin@example.com";
const ownUrl = process.env["DATABASE_URL"] ?? process.env["DATABASE_URL_FILE"];
const folder = join(
  process.env["DATA_FOLDER"] ?? ".data",
  ownUrl === undefined ? "embedded" : digest(ownUrl),
);

let database: EmbeddedPostgres | undefined;
try {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  takeLock();
  process.exitCode = await run();
} catch (error) {
  console.error(`run: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await database?.close();
}

async function run(): Promise<number> {
  if (ownUrl === undefined) {
    console.log("Starting the embedded PostgreSQL; the first start takes a few seconds.");
    database = await startEmbeddedPostgres(join(folder, "postgres"));
  }
  const environment = {
    ...process.env,
    ...(database && { DATABASE_URL: database.url, DATABASE_DURABILITY: "any" }),
    ...secretKey(),
  };

  const migrated = await command(["migrate"], environment);
  if (migrated.code !== 0) return migrated.code;

  const password = kept("admin-password", () => randomBytes(12).toString("base64url"));
  const admin = await command(["create-admin", "--email", adminEmail, "--if-none"], {
    ...environment,
    ADMIN_PASSWORD: password.value,
  });
  if (admin.code !== 0) return admin.code;
  if (admin.stdout.startsWith(adminEmail)) password.keep();

  return serve(environment, existsSync(password.file) ? password.value : undefined);
}

/** Serves until Ctrl-C; the service is not told by the terminal but by this process, and so just once. */
async function serve(environment: NodeJS.ProcessEnv, password: string | undefined): Promise<number> {
  const level = environment["LOG_LEVEL"] === "debug" ? "debug" : "info";
  const service = spawnProgram(["serve"], { ...environment, LOG_LEVEL: level });
  process.once("exit", () => service.kill("SIGKILL"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => service.kill("SIGTERM"));
  createInterface({ input: service.stdout }).on("line", line => {
    console.log(line);
    const { event, host, port } = JSON.parse(line);
    if (event === "listening") introduce(`http://${host}:${port}`, password);
  });
  const [code] = (await once(service, "close")) as [number | null];
  return code ?? 1;
}

function introduce(address: string, password: string | undefined): void {
  if (password === undefined) {
    console.log(`\n  ${address}\n  An ADMIN exists already. Ctrl-C stops the service.\n`);
    return;
  }
  const login = JSON.stringify({ email: adminEmail, password });
  console.log(`
  ${address}
  ADMIN     ${adminEmail}
  password  ${password}

  curl -s ${address}/api/v1/auth/login -H 'Content-Type: application/json' -d '${login}'

  Ctrl-C stops the service; its records stay in ${folder}.
`);
}

function spawnProgram(args: readonly string[], environment: NodeJS.ProcessEnv) {
  return spawn(process.execPath, ["--import", "tsx", "src/main.ts", ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
}

async function command(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const program = spawnProgram(args, environment);
  const [stdout, [code]] = await Promise.all([
    text(program.stdout),
    once(program, "close") as Promise<[number | null]>,
  ]);
  return { stdout, code: code ?? 1 };
}

/** A value that is the same on the next start; `keep` stores it where only this user reads it. */
function kept(name: string, make: () => string) {
  const file = join(folder, name);
  const value = existsSync(file) ? readFileSync(file, "utf8") : make();
  return { file, value, keep: () => writeFileSync(file, value, { mode: 0o600 }) };
}

function secretKey(): { SECRET_KEY?: string } {
  if (process.env["SECRET_KEY"] !== undefined || process.env["SECRET_KEY_FILE"] !== undefined) return {};
  const secret = kept("secret-key", () => randomBytes(48).toString("base64url"));
  secret.keep();
  return { SECRET_KEY: secret.value };
}

/** Two processes on one folder of PGlite would ruin it. */
function takeLock(): void {
  const file = join(folder, "lock");
  const holder = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  if (holder > 0 && isRunning(holder))
    throw new Error(`another one is running here already (process ${holder})`);
  writeFileSync(file, String(process.pid));
  process.once("exit", () => rmSync(file, { force: true }));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function digest(value: string): string {
  return createHash("sha256").update(value).digest("hex").slice(0, 12);
}
