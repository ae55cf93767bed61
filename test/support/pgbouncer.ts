import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort, unprivilegedUser } from "./native-postgres.ts";

export const hasPgBouncer = (): boolean => spawnSync("pgbouncer", ["--version"]).error === undefined;

/** A pooler that lends its connections to PostgreSQL by the session or by the transaction. */
export async function startPgBouncer(databaseUrl: string, mode: "session" | "transaction") {
  const folder = mkdtempSync(join(tmpdir(), "maintenance-log-pgbouncer-"));
  // It refuses root, as PostgreSQL does.
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const { hostname, port, username } = new URL(databaseUrl);
  const ownPort = await freePort();
  const settings = [
    "[databases]",
    `* = host=${hostname} port=${port} user=${username}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${ownPort}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    "default_pool_size = 20",
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, `${settings.join("\n")}\n`);
  const pooler = spawn("pgbouncer", [file], { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(pooler, "exit");
  const seen: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: pooler.stderr }).on("line", line => {
      seen.push(line);
      if (/process up/.test(line)) resolve();
    });
    exited.then(() => reject(new Error(`pgbouncer ended:\n${seen.join("\n")}`)));
  });
  const url = new URL(databaseUrl);
  url.port = String(ownPort);
  return {
    /** The given URL, by way of the pooler. */
    url: url.href,
    async stop() {
      pooler.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
