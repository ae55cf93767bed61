import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import postgres from "postgres";
import { binaries, checkpoints, RestoreStage, units } from "../support/restore-stage.ts";

describe("maintenance-log restore", {
  skip: binaries === undefined && "this machine has no PostgreSQL binaries",
}, () => {
  let stage: RestoreStage;
  before(async () => {
    stage = await RestoreStage.make();
  });
  after(() => stage?.stop());
  beforeEach(() => stage.reset());

  test("says first what it would do with the newest dump, and changes nothing with --dry-run", async () => {
    const [later, elsewhere] = ["maintenance-before-upgrade.dump", "other/maintenance-20990101T000000Z.dump"];
    stage.machine.run(`cd ${stage.machine.path("dumps")} && mkdir other && touch ${later} ${elsewhere}`);
    const { code, stdout } = await stage.restore("--dry-run");
    stage.machine.run(`cd ${stage.machine.path("dumps")} && rm -r other ${later}`);
    assert.equal(code, 0);
    for (const part of [stage.dump, "the name of maintenance", ...units, ...checkpoints])
      assert.ok(stdout.includes(part), part);
    stage.isAsItWas();
  });

  test("says how it is used where an option is wrong", async () => {
    for (const args of [["--help"], ["--gives-up"], ["--gives-up", "many"], ["--gives-up", "-1"]]) {
      const { code, stdout } = await stage.restore(...args);
      assert.deepEqual(
        [code, stdout.split("\n")[0]],
        [64, "maintenance-log restore [--dry-run | --test] [--gives-up ENTRIES] [DUMP]"],
      );
    }
    stage.isAsItWas();
  });

  test("compares and verifies a dump with --test, and touches nothing", async () => {
    const { code, stdout, stderr } = await stage.restore("--test");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^now: 5 logs, .*\ndump: 3 logs, .*$/m);
    assert.match(stdout, /^5 entries: all records match/m);
    assert.match(stdout, /^lost: 2 of 7 signed entries of the trail$/m);
    assert.deepEqual(stage.running("running"), units);
    stage.isAsItWas();
  });

  test("starts nothing with --test, though a restore was killed that had stopped it", async () => {
    const { machine } = stage;
    writeFileSync(machine.path("units"), "");
    writeFileSync(machine.path("run", "units"), `${units.join("\n")}\n`);
    const { code, stdout, stderr } = await stage.restore("--test");
    machine.run(`rm ${machine.path("run", "units")}`);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /stop/);
    assert.deepEqual(stage.running(), [""]);
  });

  test("keeps the database of a restore that was killed at its switch from --test, which would drop it", async () => {
    const { machine } = stage;
    const kept = machine.path("credentials", "secret-key.old");
    writeFileSync(kept, "");
    const { code, stderr } = await stage.restore("--test");
    machine.run(`rm ${kept}`);
    assert.deepEqual([code, stderr], [1, "restore: run the restore that was killed again first\n"]);
    stage.isAsItWas();
  });

  test("takes no text for a number that root would run", async () => {
    const { machine } = stage;
    const state = machine.path("states", "maintenance-log.checkpoint");
    for (const line of [`most[$(touch ${machine.path("ran")}; echo 0)]`, "", "x", "9".repeat(16)]) {
      for (const args of [["--test"], ["--gives-up", "9", stage.dump]]) {
        machine.run(`printf '%s\\n' maintenance.example.com '${line}' root > ${state}`);
        const { code, stderr } = await stage.restore(...args);
        assert.equal(code, 1);
        assert.match(stderr, /maintenance-log\.checkpoint has no checkpoint: put the last one back/);
        machine.run(`test ! -e ${machine.path("ran")} && cp ${machine.path("signed")} ${state}`);
        stage.isAsItWas();
      }
    }
  });

  test("stops before the switch where the dump has another history, however many entries that has", async () => {
    const { machine } = stage;
    const state = machine.path("states", "maintenance-log@7072.checkpoint");
    machine.run(`sed -i 2s/.*/4/ ${state}`);
    const { code, stdout, stderr } = await stage.restore(stage.dump);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^lost: 4 of 7 signed entries of the trail$/m);
    assert.ok(stderr.includes(`maintenance-log restore --gives-up 4 ${stage.dump}\n`), stderr);
    machine.run(`cp ${machine.path("signed")} ${state}`);
    stage.isAsItWas();
  });

  test("stops where the live database has more entries, and nothing is remembered", async () => {
    const { machine } = stage;
    machine.run(`rm ${machine.path("states")}/*`);
    const { code, stderr } = await stage.restore(stage.dump);
    assert.equal(code, 1);
    assert.ok(stderr.includes(`maintenance-log restore --gives-up 2 ${stage.dump}\n`), stderr);
    assert.equal(stage.commentsIn("maintenance"), "first second third fourth fifth");
  });

  test("refuses to bring revoked tokens back with the secret of before", async () => {
    const { machine } = stage;
    for (const line of [" SECRET_KEY_PREVIOUS_FILE=/etc/x", "SECRET_KEY_PREVIOUS=x"]) {
      writeFileSync(machine.path("environment"), `# Settings\n${line}\n`);
      const { code, stderr } = await stage.restore("--gives-up", "2", stage.dump);
      assert.equal(code, 1);
      assert.match(stderr, /^restore: remove SECRET_KEY_PREVIOUS, .* from .*environment$/m);
    }
    writeFileSync(machine.path("environment"), "#SECRET_KEY_PREVIOUS=x\n");
    assert.equal((await stage.restore("--gives-up", "2", stage.dump)).code, 0);
  });

  test("puts the secret and the checkpoints back where the switch fails after they were replaced", async () => {
    const { machine } = stage;
    machine.program("sync", "exit 1");
    const { code } = await stage.restore("--gives-up", "2", stage.dump);
    machine.program("sync", "exit 0");
    assert.notEqual(code, 0);
    stage.isAsItWas();
    machine.run(`test ! -e ${machine.path("credentials", "secret-key.old")}`);
  });

  test("stops before the switch where entries are lost, and says what to type", async () => {
    const { code, stderr } = await stage.restore();
    assert.equal(code, 1);
    assert.ok(stderr.includes(`maintenance-log restore --gives-up 2 ${stage.dump}\n`), stderr);
    stage.isAsItWas();
    const again = await stage.restore("--gives-up", "2", stage.dump);
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(stage.running("running"), [""], "no service runs meanwhile");
    stage.isRestored();
    await stage.isWhole();
    const [kept = ""] = stage.databases().filter(name => name !== "maintenance");
    assert.match(kept, /^maintenance_\d{8}_\d{6}$/);
    assert.equal(stage.commentsIn(kept), "first second third fourth fifth");
    await stage.write("after the restore");
    const next = stage.backUp();
    assert.match(
      stage.machine.run(`pg_restore --data-only --table=maintenance_log --file=- ${next}`),
      /\tafter the restore\t/,
    );
    stage.machine.run(`rm ${next}`);
  });

  test("needs no role and no tablespace of the old machine, and names the rights that it does not restore", async () => {
    stage.machine.run(`
      mkdir ${stage.machine.server.socketFolder}/disk
      chown --reference ${stage.machine.server.socketFolder}/data ${stage.machine.server.socketFolder}/disk
      psql -q --set=ON_ERROR_STOP=1 <<'END'
create role grafana;
create tablespace disk location '${stage.machine.server.socketFolder}/disk';
\\connect maintenance
grant select on maintenance_log to grafana;
alter table maintenance_log set tablespace disk;
create publication everything for all tables;
alter default privileges grant select on tables to maintenance_serve;
END`);
    const elsewhere = stage.backUp();
    stage.reset();
    stage.machine.run("psql -q -c 'drop role grafana' -c 'drop tablespace disk'");
    const { code, stdout, stderr } = await stage.restore(elsewhere);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^lost: GRANT SELECT ON TABLE public.maintenance_log TO grafana;$/m);
    assert.equal(stage.commentsIn("maintenance"), "first second third fourth fifth");
    assert.deepEqual([stage.signed(), stage.running()], [7, units]);
    stage.machine.run(`rm ${elsewhere}`);
  });

  test("fails on a dump that cannot be restored whole, and leaves everything as it was", async () => {
    stage.machine.run(`
      psql -q -d maintenance -c "create function note() returns event_trigger language plpgsql as 'begin end'" \\
        -c 'create event trigger other on ddl_command_end execute function note()'
      cp ${stage.dump} ${stage.machine.path("cut.dump")} && truncate --size=-500 ${stage.machine.path("cut.dump")}`);
    const ofSuperuser = stage.backUp();
    stage.reset();
    for (const bad of [ofSuperuser, stage.machine.path("cut.dump")]) {
      const { code, stdout, stderr } = await stage.restore("--gives-up", "2", bad);
      assert.equal(code, 1, stdout + stderr);
      assert.match(stderr, /pg_restore: error/);
      stage.isAsItWas();
    }
    stage.machine.run(`rm ${ofSuperuser}`);
  });

  test("waits for no service of another machine, and leaves everything as it was where one works on", async () => {
    const sql = postgres(stage.machine.credential("database-url"));
    await sql`select 1`;
    const { code, stderr } = await stage.restore("--gives-up", "2", stage.dump);
    await sql.end();
    assert.equal(code, 1);
    assert.match(stderr, /a service at 127\.0\.0\.1 works on maintenance: stop it first/);
    stage.isAsItWas();
  });

  test("changes nothing where the live database cannot be renamed", async () => {
    const sql = postgres(stage.machine.server.url, { max: 1 });
    // Whatever holds it.
    await sql.begin(async transaction => {
      await transaction`comment on database maintenance is 'held'`;
      stage.machine.run("psql -q -c \"alter role postgres set lock_timeout = '1s'\"");
      const { code, stderr } = await stage.restore("--gives-up", "2", stage.dump);
      assert.notEqual(code, 0);
      assert.match(stderr, /lock timeout/);
    });
    stage.machine.run("psql -q -c 'alter role postgres reset lock_timeout'");
    await sql.end();
    stage.isAsItWas();
  });

  test("freezes the new database where the old one was frozen", async () => {
    stage.machine.run(`psql -q -d maintenance -f ${process.cwd()}/sql/freeze_schema.sql`);
    const frozen = stage.backUp();
    assert.equal((await stage.restore(frozen)).code, 0);
    assert.throws(
      () => stage.machine.run("psql -d maintenance -c 'alter table asset add column x int'"),
      /the schema is frozen/,
    );
    stage.machine.run(`rm ${frozen}`);
  });

  test("takes a dump where there is no live database any more, and no checkpoint", async () => {
    stage.machine.run(`psql -q -c 'drop database maintenance' && rm ${stage.machine.path("states")}/*`);
    const { code, stdout, stderr } = await stage.restore(stage.dump);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^now: unknown$/m);
    assert.match(stdout, /^lost: 0 of an unknown number of signed entries of the trail$/m);
    assert.equal(stage.commentsIn("maintenance"), "first second third");
    assert.deepEqual(stage.databases(), ["maintenance"]);
  });

  test("runs nothing that the owner left in the dump as a superuser", async () => {
    const sql = stage.machine.asOwner();
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
    const hostile = stage.backUp();
    const isSuperuser = () =>
      stage.machine.run("psql -Atc \"select rolsuper from pg_roles where rolname = 'maintenance_owner'\"");
    const { code, stderr } = await stage.restore(hostile);
    assert.equal(code, 0, stderr);
    assert.equal(isSuperuser(), "f\n");
    // The dump is one that would.
    stage.machine.run(
      `psql -q -c 'create database maintenance_tried owner maintenance_owner' && pg_restore --role=maintenance_owner --no-owner --no-privileges -d maintenance_tried ${hostile}`,
    );
    assert.equal(isSuperuser(), "t\n");
    stage.machine.run(`psql -q -c 'alter role maintenance_owner nosuperuser' && rm ${hostile}`);
  });
});
