import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import postgres from "postgres";
import { runProgram } from "../support/program.ts";
import { describeRestores, units } from "../support/restore-stage.ts";
import { asOthers } from "../support/stub-machine.ts";
import { until } from "../support/until.ts";

describeRestores("maintenance-log restore, at its exchange of names", stage => {
  test("changes nothing where records are lost, and with their number exchanges the names: tokens end, ids go on, each service signs, also of another machine", async () => {
    const { machine } = stage;
    const tokens: string[] = [];
    const ada = { email: "ada@example.com", password: "secret" };
    /** The responses to all tokens so far and to a new one. */
    const statuses = async (): Promise<number[]> => {
      const service = await stage.serve();
      const { json } = await service.call("POST", "/api/v1/auth/login", { body: ada });
      tokens.push(json.token);
      const responses = tokens.map(token => service.call("GET", "/api/v1/employees/me", { token }));
      const found = (await Promise.all(responses)).map(({ status }) => status);
      await service.stop();
      return found;
    };
    assert.deepEqual(await statuses(), [200]);
    // Of a service of another machine, whose state file a restore does not see.
    const elsewhere = "../elsewhere.checkpoint";
    copyFileSync(machine.path("signed"), machine.path("states", elsewhere));
    await stage.write("sixth");
    await stage.sign(8, elsewhere);
    const { code, stderr } = await stage.restore();
    assert.equal(code, 1);
    assert.match(stderr, /^restored: the dump lacks 3 records: to give them up, add --gives-up 3$/m);
    assert.deepEqual(stage.running("stopped"), [""]);
    stage.isAsItWas("sixth");
    // Revoked after the dump: the password goes back with the restore.
    await runProgram(["set-password", "--email", ada.email], {
      DATABASE_URL: machine.credential("database-url"),
      ADMIN_PASSWORD: "another",
    });
    for (const time of [1, 2]) {
      const again = await stage.restore("--gives-up", "3", stage.dump);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(stage.running("running"), [units[0]], "no service runs meanwhile");
      stage.isRestored();
      await stage.goesOn();
      await stage.sign(5, elsewhere);
      if (time === 2) await stage.isWhole();
      assert.deepEqual(await statuses(), time === 1 ? [403, 200] : [403, 403, 200]);
      await stage.write("new", "newer");
      // Six ids were issued before the first restore, and two before the second.
      const ids = machine.run(
        "psql -d maintenance -At -c \"select string_agg(id::text, ',' order by id) from maintenance_log\"",
      );
      assert.equal(ids.trim(), time === 1 ? "1,2,3,7,8" : "1,2,3,9,10");
    }
    const [kept = ""] = stage.databases().filter(name => name !== "maintenance");
    assert.match(kept, /^maintenance_\d{8}_\d{6}$/);
    assert.equal(stage.commentsIn(kept), "first second third fourth fifth sixth");
    const next = stage.backUp();
    assert.match(machine.run(`pg_restore --data-only --table=maintenance_log --file=- ${next}`), /\tnewer\t/);
    machine.run(`rm ${next}`);
  });

  test("writes to no dump or state file, says where a service could not, and leaves files for root alone", async () => {
    const { machine } = stage;
    const folders = `${machine.path("dumps")} ${machine.path("states")}`;
    machine.program(
      "masked",
      `umask 022 && exec ${asOthers.join(" ")} ${machine.path("programs", "restore")} "$@"`,
    );
    machine.run(`find ${folders} -type f -exec touch -d '1 hour ago' {} + && chmod 555 ${folders}`);
    const { code, stderr } = await machine.outcomeOf("masked", ["--gives-up", "2", stage.dump]);
    machine.run(`chmod 755 ${folders}`);
    // Of `check`, after all is done.
    assert.deepEqual([code, stderr], [1, "check: TRAIL_STATE_FILE cannot be written: EACCES\n"]);
    stage.isRestored();
    assert.equal(machine.run(`find ${folders} -type f -mmin -30`), "");
    assert.equal(machine.run(`find ${machine.path("run")} -type f -perm /077`), "");
    assert.deepEqual(readdirSync(machine.path("run")).sort(), ["list", "lock"]);
  });

  test("restores beside a name of 63 bytes that has capitals, dashes and quotes, twice", async () => {
    const { machine } = stage;
    const name = `Main-Ten"ance'${"x".repeat(63 - 14)}`;
    const sql = postgres(machine.server.url, { max: 1, onnotice: () => {} });
    await sql`alter database maintenance rename to ${sql(name)}`;
    const files = ["owner-database-url", "database-url"].map(file => machine.path("credentials", file));
    const urls = files.map(file => readFileSync(file, "utf8"));
    for (const [at, file] of files.entries())
      writeFileSync(file, (urls[at] ?? "").replace(/[^/]*$/, encodeURIComponent(name)));
    const named = () =>
      sql`select datname from pg_database where datname like 'Main-%' or datname like 'maintenance%' order by 1`.then(
        all => all.map(({ datname }) => datname),
      );
    try {
      // No service starts in between: what the state files remember was given up by the first one.
      for (const args of [["--test"], ["--gives-up", "2"], []]) {
        const { code, stdout, stderr } = await stage.restore(...args, stage.dump);
        assert.equal(code, 0, stdout + stderr);
      }
      const all = await named();
      assert.deepEqual([all.length, all.includes(name)], [3, true], String(all));
    } finally {
      for (const [at, file] of files.entries()) writeFileSync(file, urls[at] ?? "");
      for (const each of await named()) await sql`drop database ${sql(each)} with (force)`;
      await sql.end();
    }
  });

  test("waits for sessions that a proxy ends a moment after their service", async () => {
    const sql = postgres(stage.machine.credential("database-url"));
    await sql`select 1`;
    const restoring = stage.restore("--gives-up", "2", stage.dump);
    await until(() => stage.running("stopped").length > 1);
    await setTimeout(500);
    await sql.end();
    const { code, stderr } = await restoring;
    assert.equal(code, 0, stderr);
  });

  test("leaves everything as it was where a service of another machine works on", async () => {
    const sql = postgres(stage.machine.credential("database-url"));
    await sql`select 1`;
    const { code, stderr } = await stage.restore("--gives-up", "2", stage.dump);
    await sql.end();
    assert.equal(code, 1);
    assert.match(stderr, /a service at 127\.0\.0\.1 works on maintenance: stop it first/);
    stage.isAsItWas();
  });

  test("waits for no client that is frozen in the middle of a result, nor does a test of a dump", async () => {
    const { machine } = stage;
    const copy = "copy (select repeat('x', 1000) from generate_series(1, 100000)) to stdout";
    const isBlocked = "select count(*) from pg_stat_activity where wait_event = 'ClientWrite'";
    for (const [args, then] of [
      [["--gives-up", "2"], []],
      // Its database stays until a run that nothing holds up.
      [["--test"], ["--test"]],
    ] as const) {
      const client = spawn("psql", ["-c", copy, machine.credential("owner-database-url")], {
        env: machine.environment,
        stdio: ["ignore", "pipe", "ignore"],
      });
      try {
        await until(() => machine.run(`psql -At -c "${isBlocked}"`) === "1\n");
        client.kill("SIGSTOP");
        const { code, stderr } = await stage.restore(...args, stage.dump);
        assert.equal(code, 0, stderr);
        if (then.length > 0) {
          const held =
            /^restore: the client of session (\d+) \(user maintenance_owner, application psql\) takes no result/m;
          const [, session] = held.exec(stderr) ?? [];
          machine.run(`psql -c 'select pg_terminate_backend(${session})'`);
          // The client is frozen still.
          assert.equal((await stage.restore(...then, stage.dump)).code, 0);
        }
      } finally {
        client.kill("SIGKILL");
      }
      stage.isRestored();
    }
  });

  test("changes nothing where another machine has begun a restore, or ended one, since it began", async () => {
    const { machine } = stage;
    const begins = `drop database maintenance_being_restored with (force)' -c 'create database maintenance_being_restored template pristine`;
    const ends = `alter database maintenance rename to maintenance_old' -c 'create database maintenance template pristine owner maintenance_owner`;
    for (const does of [begins, ends]) {
      // After the last comparison.
      machine.run(`
        cd ${machine.path("programs")} && mv maintenance-log own && cat > maintenance-log <<'END'
#!/bin/bash
${machine.path("programs", "own")} "$@" || exit
[ "$1 $2" != "restored finish" ] || psql -q -d postgres -c '${does}'
END
        chmod +x maintenance-log`);
      const { code, stderr } = await stage.restore("--gives-up", "2", stage.dump);
      machine.run(`cd ${machine.path("programs")} && mv own maintenance-log`);
      assert.deepEqual([code, stage.running()], [1, units], stderr);
      assert.match(stderr, /^restore: maintenance is in use, or another machine has restored it meanwhile$/m);
      assert.equal(stage.commentsIn("maintenance"), "first second third fourth fifth");
      stage.reset();
    }
  });

  test("takes a dump where there is no live database any more, and no checkpoint", async () => {
    stage.machine.run(`psql -q -c 'drop database maintenance' && rm ${stage.machine.path("states")}/*`);
    const { code, stdout, stderr } = await stage.restore(stage.dump);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^there is no database maintenance with records: only what services remember can be compared$/m,
    );
    assert.match(stdout, /^lost: 0 /m);
    const [, jump] = /^new ids are (\d{7}) above those of the dump$/m.exec(stdout) ?? [];
    assert.equal(stage.commentsIn("maintenance"), "first second third");
    await stage.write("fourth again");
    const last = stage.machine.run('psql -d maintenance -At -c "select max(id) from maintenance_log"');
    assert.equal(Number(last), Number(jump) + 4);
    assert.deepEqual(stage.databases(), ["maintenance"]);
  });

  test("counts what services remember of a live database that is gone, where one without records has its name", async () => {
    const { machine } = stage;
    machine.run(
      "psql -q -c 'drop database maintenance' -c 'create database maintenance owner maintenance_owner'",
    );
    const migrated = await runProgram(["migrate"], {
      DATABASE_URL: machine.credential("owner-database-url"),
    });
    assert.equal(migrated.code, 0, migrated.stderr);
    const { code, stderr } = await stage.restore(stage.dump);
    assert.equal(code, 1);
    assert.match(stderr, /the dump lacks 2 records: to give them up, add --gives-up 2$/m);
    const { stdout } = await stage.restore("--gives-up", "2", stage.dump);
    assert.match(stdout, /^new ids are \d{7} above those of the dump$/m);
    stage.isRestored();
    await stage.goesOn();
    await stage.isWhole();
  });
});
