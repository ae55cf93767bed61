import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { describeRestores, units } from "../support/restore-stage.ts";

describeRestores("maintenance-log restore", stage => {
  test("ends what a killed restore has left, one restore at a time, and takes the dump with the last name alone", async () => {
    const { machine } = stage;
    writeFileSync(machine.path("units"), `${units[0]}\n`);
    writeFileSync(machine.path("run", "units"), `${units.slice(1).join("\n")}\n`);
    machine.run("psql -q -c 'create database maintenance_being_restored'");
    // Of another name, in another folder.
    const [later, elsewhere] = ["maintenance-before-upgrade.dump", "other/maintenance-20990101T000000Z.dump"];
    machine.run(`cd ${machine.path("dumps")} && mkdir other && touch ${later} ${elsewhere}`);
    const outcomes = await Promise.all([stage.restore("--test"), stage.restore("--test")]);
    machine.run(`cd ${machine.path("dumps")} && rm -r other ${later}`);
    const [done, refused] = outcomes.toSorted((a, b) => Number(a.code) - Number(b.code));
    assert.deepEqual([done?.code, refused?.code], [0, 1], done?.stderr);
    assert.match(refused?.stderr ?? "", /^restore: another restore is under way$/m);
    const { stdout = "" } = done ?? {};
    assert.ok(stdout.startsWith(`${stage.dump} goes into the database maintenance_being_restored\n`), stdout);
    assert.match(stdout, /^5 entries: all records match/m);
    assert.match(stdout, /^lost: 2 \(2 logs, 0 changes of employees, 0 of assets, /m);
    assert.deepEqual(stage.running("meanwhile"), units);
    machine.run(`test ! -e ${machine.path("run", "units")}`);
    stage.isAsItWas();
  });

  test("says how it is used where an option is wrong", async () => {
    for (const args of [["--help"], ["--gives-up"], ["--gives-up", "many"], ["--gives-up", "-1"]]) {
      const { code, stdout } = await stage.restore(...args);
      assert.deepEqual(
        [code, stdout.split("\n")[0]],
        [64, "maintenance-log restore [--test] [--gives-up RECORDS] [DUMP]"],
      );
    }
    stage.isAsItWas();
  });

  test("reads state files as bounded regular files, and stops nothing where one says nothing", async () => {
    const { machine } = stage;
    const state = machine.path("states", "maintenance-log.checkpoint");
    const bad = [
      [
        `printf 'maintenance.example.com\\nmost[$(touch ${machine.path("ran")})]\\nroot\\n' > ${state}`,
        /has no checkpoint/,
      ],
      [`ln -s /dev/zero ${state}`, /cannot be read: it is not a regular file/],
    ] as const;
    for (const [make, message] of bad) {
      machine.run(`rm ${state} && ${make}`);
      const { code, stderr } = await stage.restore("--gives-up", "9");
      assert.deepEqual([code, message.test(stderr)], [1, true], stderr);
      machine.run(`test ! -e ${machine.path("ran")} && rm ${state} && cp ${machine.path("signed")} ${state}`);
      assert.deepEqual(stage.running("stopped"), [""]);
      stage.isAsItWas();
    }
  });

  test("says what a service remembers of another history than both databases", async () => {
    const { machine } = stage;
    const state = machine.path("states", "maintenance-log@7072.checkpoint");
    machine.run(`sed -i 2s/.*/4/ ${state}`);
    const { code, stderr } = await stage.restore("--gives-up", "5", stage.dump);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /the dump lacks 6 records: to give them up, add --gives-up 6$/m);
    machine.run(`cp ${machine.path("signed")} ${state}`);
    stage.isAsItWas();
  });

  test("counts records and not entries: what waits for its number or differs, in place of state files", async () => {
    await stage.write("sixth");
    stage.machine.run(`
      rm ${stage.machine.path("states")}/*
      psql -q -d maintenance -c "alter table maintenance_log disable trigger all" \
        -c "update maintenance_log set comment = 'changed' where comment = 'second'"`);
    const { code, stdout, stderr } = await stage.restore(stage.dump);
    assert.equal(code, 1);
    assert.match(stdout, /^lost: 4 \(4 logs, /m);
    assert.match(stderr, /add --gives-up 4$/m);
    assert.equal(stage.commentsIn("maintenance"), "first changed third fourth fifth sixth");
    assert.deepEqual(stage.running("stopped"), [""]);
  });

  test("ends where the live database cannot be compared, and takes no error for another history", async () => {
    stage.machine.run(`psql -q -d maintenance -c 'alter table asset_event rename to gone'`);
    const { code, stdout, stderr } = await stage.restore("--gives-up", "99", stage.dump);
    assert.deepEqual([code, /relation "asset_event" does not exist/.test(stderr)], [1, true], stderr);
    assert.doesNotMatch(stdout, /^lost/m);
    assert.deepEqual(stage.running("stopped"), [""]);
    assert.deepEqual(stage.databases(), ["maintenance"]);
  });
});
