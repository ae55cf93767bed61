import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import {
  findPostgresBinaries,
  type NativePostgres,
  startNativePostgres,
} from "../support/native-postgres.ts";
import { runProgram } from "../support/program.ts";

const binaries = findPostgresBinaries();
const page = readFileSync("docs/operations.md", "utf8");

/** The block of operations.md that restores a dump. */
const [restoreBlock = ""] = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, block = ""]) => block)
  .filter(block => block.includes("pg_restore"));

describe("the backup, and the restore as operations.md shows it", { skip: binaries === undefined }, () => {
  let folder: string;
  let server: NativePostgres;
  const path = (...names: string[]) => join(folder, ...names);
  const credential = (name: string) => path("credentials", name);
  const urlOf = (name: string) => readFileSync(credential(name), "utf8").trim();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "maintenance-log-backup-"));
    server = await startNativePostgres(binaries as string);
    for (const name of ["credentials", "dumps", "programs"]) mkdirSync(path(name));
    // In place of what needs a booted machine.
    const program = (name: string, text: string) =>
      writeFileSync(path("programs", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program("systemctl", "");
    program("runuser", 'shift 3 && exec "$@"');
    const { port } = new URL(server.url);
    for (const [role, file] of [
      ["owner", "owner-database-url"],
      ["serve", "database-url"],
    ]) {
      const url = `postgres://maintenance_${role}:p%40ss%25%5Cn@127.0.0.1:${port}/maintenance`;
      writeFileSync(credential(file as string), url);
    }
    run(`psql --set=ON_ERROR_STOP=1 <<END
create role maintenance_owner login password 'p@ss%\\n';
create role maintenance_log_service nologin;
create role maintenance_serve login password 'p@ss%\\n' in role maintenance_log_service;
create database maintenance owner maintenance_owner encoding 'UTF8' template template0;
END`);
    // From here on, a password that was not decoded as libpq does is refused.
    const hba = "host all maintenance_owner,maintenance_serve all scram-sha-256\nhost all all all trust\n";
    writeFileSync(path("hba"), hba);
    run(`cat ${path("hba")} > ${server.socketFolder}/data/pg_hba.conf && psql -c 'select pg_reload_conf()'`);
    const migrated = await runProgram(["migrate"], { DATABASE_URL: urlOf("owner-database-url") });
    assert.equal(migrated.code, 0, migrated.stderr);
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Runs a shell script as root of a machine whose PostgreSQL is the one of this test. */
  function run(script: string): string {
    const { port } = new URL(server.url);
    return execFileSync("bash", ["-e", "-o", "pipefail"], {
      input: script
        .replaceAll("/var/lib/maintenance-log-backup", path("dumps"))
        .replaceAll("/etc/maintenance-log-service", folder)
        .replaceAll("/usr/lib/maintenance-log-service/on-database", resolve("deploy/on-database"))
        .replaceAll("/run/restore-list", path("list")),
      env: {
        PATH: `${path("programs")}:${binaries}:${process.env["PATH"]}`,
        PGHOST: "127.0.0.1",
        PGPORT: port,
        PGUSER: "postgres",
        CREDENTIALS_DIRECTORY: path("credential"),
      },
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  /** As the unit does. */
  function backUp(): void {
    mkdirSync(path("credential"), { recursive: true });
    copyFileSync(credential("database-url"), path("credential", "DATABASE_URL"));
    run(`sh ${resolve("deploy/backup")} ${path("dumps")}`);
  }

  async function restore(block = restoreBlock): Promise<void> {
    // The name of the new database has the second in it.
    await sleep(1_100);
    run(block);
  }

  const asOwner = () => postgres(urlOf("owner-database-url"), { onnotice: () => {} });
  const logs = async () =>
    (await runProgram(["export-logs"], { DATABASE_URL: urlOf("database-url") })).stdout.trim().split("\n");

  async function writeLog(comment: string): Promise<void> {
    const sql = asOwner();
    await sql`
      insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
      select '2026-01-01', 'COMPLETED', 'MAINTENANCE', ${comment}, asset.id, employee.id from asset, employee`;
    await sql.end();
  }

  test("a log that was written after a restore is in the next backup", async () => {
    const settings = { DATABASE_URL: urlOf("database-url"), ADMIN_PASSWORD: "secret" };
    const admin = await runProgram(["create-admin", "--email", "ada@example.com"], settings);
    assert.equal(admin.code, 0, admin.stderr);
    const sql = asOwner();
    await sql`insert into asset (name, description) values ('Pump', '')`;
    await sql.end();
    await writeLog("before");
    // What a DBA may add, and the owner of the tables cannot restore.
    run(
      "psql -d maintenance -c 'create publication everything for all tables' -c 'alter default privileges grant select on tables to maintenance_serve'",
    );
    const secrets = [urlOf("database-url")];
    for (const comment of ["after the first restore", "after the second"]) {
      backUp();
      await restore();
      await writeLog(comment);
      secrets.push(urlOf("database-url"));
    }
    assert.equal(new Set(secrets).size, 3, "each restore makes a database of its own");
    const comments = (await logs()).map(line => JSON.parse(line).comment);
    assert.deepEqual(comments, ["after the second", "after the first restore", "before"]);
    const check = await runProgram(["migrate"], { DATABASE_URL: urlOf("owner-database-url") });
    assert.equal(check.stdout, "the schema is up to date\n");
  });

  test("a restore runs nothing that the owner left in the dump as a superuser", async () => {
    const sql = asOwner();
    await sql.unsafe(`
      create function climb(text) returns boolean language plpgsql as $$
      begin
        reset role;
        alter role maintenance_owner superuser;
        return true;
      exception when insufficient_privilege then
        return true;
      end $$;
      create table left_behind (name text check (climb(name)));
      insert into left_behind values ('x');
      grant select on left_behind to maintenance_log_service`);
    await sql.end();
    backUp();
    const isSuperuser = "psql -Atc \"select rolsuper from pg_roles where rolname = 'maintenance_owner'\"";
    await restore();
    assert.equal(run(isSuperuser), "f\n");
    // The dump is one that would.
    const asSuperuser = restoreBlock.replace(
      /^.*on-database credentials\/owner-database-url (pg_restore.*--no-owner)/m,
      "$1 --role=maintenance_owner --dbname=$new",
    );
    assert.notEqual(asSuperuser, restoreBlock);
    await restore(asSuperuser);
    assert.equal(run(isSuperuser), "t\n");
  });
});
