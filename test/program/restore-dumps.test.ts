import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { test } from "node:test";
import { describeRestores, units } from "../support/restore-stage.ts";

describeRestores("maintenance-log restore, of dumps of every kind", stage => {
  test("opens as a dump nothing but a regular file that is one", async () => {
    const { machine } = stage;
    const folder = machine.path("dumps", "maintenance-20990101T000000Z.dump");
    for (const make of [
      `mkdir ${folder}`,
      `ln -s /dev/zero ${folder}`,
      `mkfifo ${folder}`,
      `echo no > ${folder}`,
    ]) {
      machine.run(make);
      const { code, stderr } = await stage.restore();
      assert.equal(code, 1);
      assert.match(stderr, /^restore: .* is not a dump of the backup$/m);
      machine.run(`rm -r ${folder}`);
    }
    stage.isAsItWas();
  });

  test("takes no dump that serve would not", async () => {
    stage.machine.run(
      `psql -q -d maintenance -c 'alter table maintenance_log alter comment type varchar(20000)'`,
    );
    const dump = stage.backUp();
    stage.reset();
    const { code, stderr } = await stage.restore(dump);
    stage.machine.run(`rm ${dump}`);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /serve would not take the dump: column comment on maintenance_log is not as migrate made it/,
    );
    assert.deepEqual(stage.running("stopped"), [""]);
    stage.isAsItWas();
  });

  test("needs no role and no tablespace of the old machine, and names the rights that it does not restore; freezes the schema as it was", async () => {
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
\\ir ${process.cwd()}/sql/freeze_schema.sql
END`);
    const elsewhere = stage.backUp();
    stage.reset();
    stage.machine.run("psql -q -c 'drop role grafana' -c 'drop tablespace disk'");
    const { code, stdout, stderr } = await stage.restore(elsewhere);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^lost: GRANT SELECT ON TABLE public.maintenance_log TO grafana;$/m);
    assert.equal(stage.commentsIn("maintenance"), "first second third fourth fifth");
    assert.deepEqual([stage.signed(), stage.running()], [7, units]);
    assert.throws(
      () => stage.machine.run("psql -d maintenance -c 'alter table asset add column x int'"),
      /the schema is frozen/,
    );
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

  test("runs nothing that the owner left in the dump as a superuser, and prints its name without control characters", async () => {
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
    const hostile = `${stage.machine.path("dumps", "a\u001b[1A\nb")}.dump`;
    renameSync(stage.backUp(), hostile);
    const isSuperuser = () =>
      stage.machine.run("psql -Atc \"select rolsuper from pg_roles where rolname = 'maintenance_owner'\"");
    const { code, stdout, stderr } = await stage.restore(hostile);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /[^\P{C}\n]/u);
    assert.equal(isSuperuser(), "f\n");
    // The dump is one that would.
    stage.machine.run(
      `psql -q -c 'create database maintenance_tried owner maintenance_owner' && pg_restore --role=maintenance_owner --no-owner --no-privileges -d maintenance_tried '${hostile}'`,
    );
    assert.equal(isSuperuser(), "t\n");
    stage.machine.run(`psql -q -c 'alter role maintenance_owner nosuperuser' && rm '${hostile}'`);
  });
});
