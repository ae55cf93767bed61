import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import postgres from "postgres";
import { findPostgresBinaries } from "../support/native-postgres.ts";
import { type Outcome, runProgram, startService } from "../support/program.ts";
import { StubMachine } from "../support/stub-machine.ts";
import { until } from "../support/until.ts";

const binaries = findPostgresBinaries();
const units = [
  "maintenance-log-backup.timer",
  "maintenance-log.service",
  "maintenance-log.socket",
  "maintenance-log@7072.service",
  "maintenance-log@7072.socket",
];
const checkpoints = ["maintenance-log.checkpoint", "maintenance-log@7072.checkpoint"];
/** A dump with three logs, and a live database with two more, all of them signed. */
describe("maintenance-log restore", { skip: binaries === undefined }, () => {
  let machine: StubMachine;
  let dump: string;

  before(async () => {
    machine = await StubMachine.make(binaries as string);
    const settings = { DATABASE_URL: machine.credential("database-url"), ADMIN_PASSWORD: "secret" };
    const admin = await runProgram(["create-admin", "--email", "ada@example.com"], settings);
    assert.equal(admin.code, 0, admin.stderr);
    const sql = machine.asOwner();
    await sql`insert into asset (name, description) values ('Pump', '')`;
    await sql.end();
    await write("first", "second", "third");
    await sign(5);
    dump = backUp();
    await write("fourth", "fifth");
    await sign(7);
    machine.run(`
      psql -q -c 'create database pristine template maintenance owner maintenance_owner'
      cp ${machine.path("states", "maintenance-log.checkpoint")} ${machine.path("signed")}`);
  });
  after(() => machine?.stop());
  beforeEach(reset);

  /** The live database, its services and what they have signed, as they were before a restore. */
  function reset(): void {
    machine.run(`
      psql -At -c "select format('drop database %I with (force);', datname) from pg_database where datname like 'maintenance%'" | psql -q
      psql -q -c 'create database maintenance template pristine owner maintenance_owner'`);
    for (const name of checkpoints) copyFileSync(machine.path("signed"), machine.path("states", name));
    writeFileSync(machine.path("credentials", "secret-key"), `${"0".repeat(64)}\n`);
    writeFileSync(machine.path("units"), `${units.join("\n")}\n`);
  }

  async function write(...comments: readonly string[]): Promise<void> {
    const sql = machine.asOwner();
    for (const comment of comments)
      await sql`
        insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
        select '2026-01-01', 'COMPLETED', 'MAINTENANCE', ${comment}, asset.id, employee.id from asset, employee`;
    await sql.end();
  }

  /** Serves until so many entries are signed. */
  async function sign(entries: number): Promise<void> {
    const service = await startService({
      DATABASE_URL: machine.credential("database-url"),
      SECRET_KEY: machine.credential("secret-key"),
      TRAIL_KEY: machine.credential("trail-key"),
      TRAIL_STATE_FILE: machine.path("states", "maintenance-log.checkpoint"),
    });
    await until(() => service.lines.some(line => line.includes(`"size":${entries}`)) || signed() === entries);
    await service.stop();
  }
  const signed = (name = "maintenance-log.checkpoint"): number => {
    try {
      return Number(readFileSync(machine.path("states", name), "utf8").split("\n")[1]);
    } catch {
      return 0;
    }
  };

  function backUp(): string {
    const [, path = ""] = /^(.*\.dump): \d+ bytes$/m.exec(machine.backUp()) ?? [];
    return path;
  }

  const restore = (...args: readonly string[]): Promise<Outcome> => machine.outcomeOf("restore", args);
  const commentsIn = (database: string): string =>
    machine
      .run(`psql -d ${database} -At -c "select string_agg(comment, ' ' order by id) from maintenance_log"`)
      .trim();
  const databases = () =>
    machine
      .run("psql -At -c \"select datname from pg_database where datname like 'maintenance%' order by 1\"")
      .trim()
      .split("\n");
  const running = () => readFileSync(machine.path("units"), "utf8").trim().split("\n").sort();
  const isLive = () => [
    machine.credential("secret-key") === "0".repeat(64),
    signed(),
    signed("maintenance-log@7072.checkpoint"),
  ];

  /** Every record, entry and checkpoint agree with what is served, for each of the services. */
  async function isWhole(): Promise<void> {
    const key = readFileSync(machine.path("verifier-key"), "utf8").trim();
    for (const name of checkpoints) {
      const TRAIL_STATE_FILE = machine.path("states", name);
      const settings = { DATABASE_URL: machine.credential("database-url"), TRAIL_STATE_FILE };
      const { code, stdout, stderr } = await runProgram(["verify", "--database", "--key", key], settings);
      assert.equal(code, 0, `${name}: ${stdout}${stderr}`);
    }
  }

  function isRestored(): void {
    assert.equal(commentsIn("maintenance"), "first second third");
    assert.deepEqual(isLive(), [false, 5, 5]);
    assert.deepEqual(running(), units);
    assert.deepEqual(
      databases().filter(name => name.endsWith("_new")),
      [],
    );
  }

  function isAsItWas(): void {
    assert.equal(commentsIn("maintenance"), "first second third fourth fifth");
    assert.deepEqual(isLive(), [true, 7, 7]);
    assert.deepEqual(running(), units);
    assert.deepEqual(databases(), ["maintenance"]);
    assert.deepEqual(readdirSync(machine.path("states")).sort(), checkpoints);
  }

  test("says first what it would do, and changes nothing with --dry-run", async () => {
    const { code, stdout } = await restore("--dry-run");
    assert.equal(code, 0);
    for (const part of [dump, "maintenance_new", ...units, ...checkpoints])
      assert.ok(stdout.includes(part), part);
    isAsItWas();
  });

  test("compares and verifies a dump with --test, and touches nothing", async () => {
    const { code, stdout, stderr } = await restore("--test");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^now: 5 logs, .*\ndump: 3 logs, .*$/m);
    assert.match(stdout, /^5 entries: all records match/m);
    assert.match(stdout, /^lost: 2 of 7 signed entries of the trail$/m);
    isAsItWas();
  });

  test("stops before the switch where entries are lost, and says what to type", async () => {
    const { code, stderr } = await restore();
    assert.equal(code, 1);
    assert.ok(stderr.includes(`maintenance-log restore --gives-up 2 ${dump}\n`), stderr);
    isAsItWas();
    const again = await restore("--gives-up", "2", dump);
    assert.equal(again.code, 0, again.stderr);
    isRestored();
    await isWhole();
    const [kept = ""] = databases().filter(name => name !== "maintenance");
    assert.match(kept, /^maintenance_\d{8}_\d{6}$/);
    assert.equal(commentsIn(kept), "first second third fourth fifth");
  });

  test("a log that was written after a restore is in the next backup", async () => {
    const { code, stderr } = await restore("--gives-up", "2", dump);
    assert.equal(code, 0, stderr);
    await write("after the restore");
    const next = backUp();
    assert.equal((await restore("--gives-up", "0", next)).code, 0);
    assert.equal(commentsIn("maintenance"), "first second third after the restore");
    machine.run(`rm ${next}`);
  });

  test("needs no role and no tablespace of the old machine, and names the rights that it does not restore", async () => {
    machine.run(`
      mkdir ${machine.server.socketFolder}/disk
      chown --reference ${machine.server.socketFolder}/data ${machine.server.socketFolder}/disk
      psql -q --set=ON_ERROR_STOP=1 <<'END'
create role grafana;
create tablespace disk location '${machine.server.socketFolder}/disk';
\\connect maintenance
grant select on maintenance_log to grafana;
alter table maintenance_log set tablespace disk;
create publication everything for all tables;
alter default privileges grant select on tables to maintenance_serve;
END`);
    const elsewhere = backUp();
    reset();
    machine.run("psql -q -c 'drop role grafana' -c 'drop tablespace disk'");
    const { code, stdout, stderr } = await restore(elsewhere);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^lost: GRANT SELECT ON TABLE public.maintenance_log TO grafana;$/m);
    assert.equal(commentsIn("maintenance"), "first second third fourth fifth");
    assert.deepEqual([signed(), running()], [7, units]);
    machine.run(`rm ${elsewhere}`);
  });

  test("fails on a dump that cannot be restored whole, and leaves everything as it was", async () => {
    machine.run(`
      psql -q -d maintenance -c "create function note() returns event_trigger language plpgsql as 'begin end'" \\
        -c 'create event trigger other on ddl_command_end execute function note()'
      cp ${dump} ${machine.path("cut.dump")} && truncate --size=-500 ${machine.path("cut.dump")}`);
    const ofSuperuser = backUp();
    reset();
    for (const bad of [ofSuperuser, machine.path("cut.dump")]) {
      const { code, stdout, stderr } = await restore("--gives-up", "2", bad);
      assert.equal(code, 1, stdout + stderr);
      assert.match(stderr, /pg_restore: error/);
      isAsItWas();
    }
    machine.run(`rm ${ofSuperuser}`);
  });

  test("waits for no service of another machine, and leaves everything as it was where one works on", async () => {
    const sql = postgres(machine.credential("database-url"));
    await sql`select 1`;
    const { code, stderr } = await restore("--gives-up", "2", dump);
    await sql.end();
    assert.equal(code, 1);
    assert.match(stderr, /a service at 127\.0\.0\.1 works on maintenance: stop it first/);
    isAsItWas();
  });

  test("fails before anything is replaced where the live database cannot be renamed", async () => {
    const sql = postgres(machine.server.url, { max: 1 });
    // Whatever holds it.
    await sql.begin(async transaction => {
      await transaction`comment on database maintenance is 'held'`;
      machine.run("psql -q -c \"alter role postgres set lock_timeout = '1s'\"");
      const { code, stderr } = await restore("--gives-up", "2", dump);
      assert.notEqual(code, 0);
      assert.match(stderr, /lock timeout/);
    });
    machine.run("psql -q -c 'alter role postgres reset lock_timeout'");
    await sql.end();
    isAsItWas();
  });

  test("freezes the new database where the old one was frozen", async () => {
    machine.run(`psql -q -d maintenance -f ${process.cwd()}/sql/freeze_schema.sql`);
    const frozen = backUp();
    assert.equal((await restore(frozen)).code, 0);
    assert.throws(
      () => machine.run("psql -d maintenance -c 'alter table asset add column x int'"),
      /the schema is frozen/,
    );
    machine.run(`rm ${frozen}`);
  });

  test("takes a dump where there is no live database any more, and no checkpoint", async () => {
    machine.run(`psql -q -c 'drop database maintenance' && rm ${machine.path("states")}/*`);
    const { code, stdout, stderr } = await restore(dump);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^now: unknown$/m);
    assert.match(stdout, /^lost: 0 of an unknown number of signed entries of the trail$/m);
    assert.equal(commentsIn("maintenance"), "first second third");
    assert.deepEqual(databases(), ["maintenance"]);
  });

  test("runs nothing that the owner left in the dump as a superuser", async () => {
    const sql = machine.asOwner();
    await sql.unsafe(`
      create function climb(text) returns boolean immutable language plpgsql as $$
      begin
        reset role;
        alter role maintenance_owner superuser;
        return true;
      exception when insufficient_privilege then
        return true;
      end $$;
      create table left_behind (name text check (climb(name)));
      insert into left_behind values ('x');
      create index on left_behind (climb(name))`);
    await sql.end();
    const hostile = backUp();
    const isSuperuser = () =>
      machine.run("psql -Atc \"select rolsuper from pg_roles where rolname = 'maintenance_owner'\"");
    const { code, stderr } = await restore(hostile);
    assert.equal(code, 0, stderr);
    assert.equal(isSuperuser(), "f\n");
    // The dump is one that would.
    machine.run(
      `psql -q -c 'create database maintenance_tried' && pg_restore --role=maintenance_owner --no-owner --no-privileges -d maintenance_tried ${hostile}`,
    );
    assert.equal(isSuperuser(), "t\n");
    machine.run(`psql -q -c 'alter role maintenance_owner nosuperuser' && rm ${hostile}`);
  });

  test("is killed at each of its steps: the old database is served whole, or the new one, and a second run ends it", async () => {
    for (let step = 1; ; step++) {
      machine.killAt(step);
      const { code } = await restore("--gives-up", "2", dump);
      machine.killAt(undefined);
      if (code === 0) {
        assert.ok(step > 20, `${step} steps`);
        break;
      }
      const isOld = commentsIn("maintenance") === "first second third fourth fifth";
      if (!isOld) assert.equal(commentsIn("maintenance"), "first second third", `step ${step}`);
      await isWhole();
      const again = await restore("--gives-up", "2", dump);
      assert.equal(again.code, 0, `step ${step}: ${again.stdout}${again.stderr}`);
      isRestored();
      reset();
    }
  });
});
