import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import postgres from "postgres";
import { probeLimits } from "../../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../../src/adapters/postgres/repositories/repositories.ts";
import { connectTo } from "../support/connect-to.ts";
import {
  findPostgresBinaries,
  type NativePostgres,
  startNativePostgres,
  urlOf,
} from "../support/native-postgres.ts";
import { operationsOf, runProgram, startService } from "../support/program.ts";
import { allIds, endAt } from "../support/trail-stage.ts";
import { until } from "../support/until.ts";

const found = findPostgresBinaries();
const binaries = found !== undefined && existsSync(join(found, "pg_dump")) ? found : undefined;
const SECRET_KEY = "a secret of the tests of restores, thirty-two bytes";

/** What Debian's `pg_upgradecluster` does with its method `dump`: the schema first, then the data with triggers disabled. */
describe("a database that was restored in two steps", {
  skip: binaries === undefined && "this machine has no PostgreSQL binaries",
}, () => {
  let server: NativePostgres;
  const settingsOf = (name: string) => ({ DATABASE_URL: urlOf(server.url, name), SECRET_KEY });
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(join(binaries as string, program), args, { stdio: ["ignore", "pipe", "pipe"] });
  const as = async <T>(name: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
    const sql = postgres(urlOf(server.url, name), { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end();
    }
  };
  const counts = (name: string) =>
    as(name, async sql =>
      Object.values(
        (
          await sql`
            select (select count(*)::int from employee) as employees, (select count(*)::int from asset) as assets,
              (select count(*)::int from maintenance_log) as logs, (select count(*)::int from trail_entry) as entries`
        )[0] ?? {},
      ),
    );

  /** A database with an employee, two assets and three logs, all of them numbered. */
  async function make(name: string): Promise<void> {
    await as("postgres", sql => sql.unsafe(`create database ${name}`));
    const migrated = await runProgram(["migrate"], settingsOf(name));
    assert.equal(migrated.code, 0, migrated.stderr);
    await as(name, sql =>
      sql.unsafe(`
        insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
          values ('Ada', 'Byron', '+45 12 34 56', 'a@example.com', 'a@example.com', 'ADMIN', 'none');
        insert into asset (name, description) values ('Pump', ''), ('Lamp', '');
        insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
          select '2026-01-01', 'PENDING', 'ERROR', 'Oil', 1, 1 from generate_series(1, 3)`),
    );
    const database = connectTo(urlOf(server.url, name), probeLimits);
    await makeRepositories(database).trail.ledger.number(endAt(0), allIds, 10);
    await database.close();
  }

  /** The two steps; like Debian's program, it ends well whatever pg_restore reports. */
  async function restore(from: string, to: string): Promise<void> {
    await as("postgres", sql => sql.unsafe(`create database ${to}`));
    const file = join(server.socketFolder, `${to}.dump`);
    for (const [dumped, restored] of [
      [["--schema-only"], []],
      [
        ["--data-only", "--disable-triggers"],
        ["--data-only", "--disable-triggers"],
      ],
    ] as const) {
      run("pg_dump", "--format=custom", ...dumped, `--file=${file}`, `--dbname=${urlOf(server.url, from)}`);
      try {
        run("pg_restore", ...restored, `--dbname=${urlOf(server.url, to)}`, file);
      } catch {}
    }
  }

  before(async () => {
    server = await startNativePostgres(binaries as string);
  });
  after(() => server?.stop());

  test("and had frozen its schema has lost its records: serve and a backup refuse it, and check says what is missing", async () => {
    await make("frozen");
    await as("frozen", sql => sql.unsafe(readFileSync("sql/freeze_schema.sql", "utf8")));
    await restore("frozen", "emptied");
    assert.deepEqual(await counts("emptied"), [0, 0, 0, 6]);
    const says = (table: string) =>
      `the table ${table} is empty, though the trail has entries of its records: restore a backup, or go back to the database that has the records`;
    const { code, stderr } = await runProgram(["serve"], { ...settingsOf("emptied"), PORT: "0" });
    assert.deepEqual([code, stderr.includes(says("employee"))], [1, true], stderr);
    const backup = await runProgram(["check", "--records"], { DATABASE_URL: urlOf(server.url, "emptied") });
    assert.deepEqual([backup.code, backup.stdout], [1, ""]);
    const checked = await runProgram(["check"], settingsOf("emptied"));
    for (const table of ["employee", "asset", "maintenance_log"]) {
      assert.ok(checked.stderr.includes(`check: ${says(table)}\n`), checked.stderr);
    }
    const whole = await runProgram(["check", "--records"], { DATABASE_URL: urlOf(server.url, "frozen") });
    assert.deepEqual(whole, { code: 0, stdout: "records: ok\n", stderr: "" });
  });

  test("keeps all rows and has disarmed its triggers: serve and check name them, and migrate puts them back", async () => {
    await make("armed");
    await restore("armed", "disarmed");
    assert.deepEqual(await counts("disarmed"), [1, 2, 3, 6]);
    const remove = () =>
      as("disarmed", sql =>
        sql.begin(async session => {
          await session.unsafe("set local session_replication_role = replica");
          return session.unsafe("delete from maintenance_log where id = 1");
        }),
      );
    const { code, stderr } = await runProgram(["serve"], { ...settingsOf("disarmed"), PORT: "0" });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /trigger \w+ on \w+ is not as migrate made it: run migrate, which puts back what it can/,
    );
    const checked = await runProgram(["check"], settingsOf("disarmed"));
    assert.match(checked.stderr, /^check: trigger append_only on maintenance_log is not as migrate made it/m);
    const { stdout, stderr: refusal } = await runProgram(["migrate"], settingsOf("disarmed"));
    assert.equal(stdout.match(/^put back trigger \w+ on \w+$/gm)?.length, 16, stdout + refusal);
    assert.equal((await runProgram(["check"], settingsOf("disarmed"))).code, 0);
    await assert.rejects(remove(), /what has been recorded stays/);
  });

  test("a record that is gone while the service works is reported as tampering; an emptied table makes it not ready", async () => {
    await make("served");
    const service = await startService({ ...settingsOf("served"), OPS_PORT: "0" });
    const operations = operationsOf(service);
    const readyz = () => operations.call("GET", "/readyz");
    assert.equal((await readyz()).status, 200);
    const tamper = (statement: string) =>
      as("served", sql =>
        sql.unsafe(`
          alter table maintenance_log disable trigger append_only; ${statement};
          alter table maintenance_log enable always trigger append_only`),
      );
    await tamper("delete from maintenance_log where id = 3");
    const broken = await until(() =>
      service.lines.map(line => JSON.parse(line)).find(({ event }) => event === "trail broken"),
    );
    assert.match(JSON.stringify(broken), /the newest log record in the trail, 3, is gone/);
    assert.equal((await readyz()).status, 200, "serving goes on");
    const checked = await runProgram(["check"], settingsOf("served"));
    assert.deepEqual(
      [checked.code, checked.stderr.includes("the newest log record in the trail, 3, is gone")],
      [1, true],
    );
    await tamper("delete from maintenance_log");
    const { json } = await until(async () => {
      const response = await readyz();
      return response.status === 503 ? response : undefined;
    });
    assert.match(json.checks.schema, /^the table maintenance_log is empty, though the trail has entries/);
    await service.stop();
  });
});
