import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import { findPostgresBinaries } from "../support/native-postgres.ts";
import { startService } from "../support/program.ts";
import { StubMachine } from "../support/stub-machine.ts";
import { until } from "../support/until.ts";

const binaries = findPostgresBinaries();
const day = 86_400_000;

describe("the backup", { skip: binaries === undefined }, () => {
  let machine: StubMachine;
  before(async () => {
    machine = await StubMachine.make(binaries as string);
  });
  after(() => machine?.stop());
  beforeEach(() => machine.run(`rm -f ${machine.path("dumps")}/*`));

  const dumps = () => readdirSync(machine.path("dumps")).sort();
  /** A dump whose name has one moment, as if it were made at another. */
  const layOne = (named: number, made = named): void => {
    const moment = new Date(named).toISOString().replace(/[-:]|\.\d+/g, "");
    const path = machine.path("dumps", `maintenance-${moment}.dump`);
    writeFileSync(path, "");
    utimesSync(path, made / 1_000, made / 1_000);
  };
  /** As if there were a backup on each of so many days that ended so long ago. */
  const lay = (count: number, daysAgo: number): void => {
    for (let n = daysAgo; n < daysAgo + count; n += 1) layOne(Date.now() - n * day);
  };

  test("removes dumps that are older than KEEP_DAYS, but none of the newest 30", () => {
    lay(40, 1);
    machine.backUp();
    assert.equal(dumps().length, 31, "today, and 30 that are not more than 30 days old");
    machine.run(`rm ${machine.path("dumps")}/*`);
    // A month off, or a clock that is a month ahead.
    lay(40, 60);
    const laid = dumps();
    machine.backUp();
    assert.deepEqual(dumps().slice(0, -1), laid.slice(-30));
  });

  test("gives a new dump the last name, and removes none that is young, whatever the clock says", () => {
    /** Made now, though their names say that the clock was so many days ahead. */
    const hourly = (days: number): void => {
      for (let hour = 0; hour < 200; hour += 1)
        layOne(Date.now() + days * day - (hour * day) / 24, Date.now());
    };
    // Two days behind, or two years.
    for (const days of [2, 730]) {
      hourly(days);
      const laid = dumps();
      machine.backUp();
      const [newest = "", before = ""] = dumps().toReversed();
      assert.deepEqual([dumps().slice(0, -1), before], [laid, laid.at(-1)], `${days} days`);
      assert.equal(machine.run(`wc -c < ${machine.path("dumps", newest)}`).trim() === "0", false);
      machine.run(`rm ${machine.path("dumps")}/*`);
    }
    // A year ahead: the dumps of nine days are there before.
    hourly(-365);
    const laid = dumps();
    machine.backUp();
    assert.deepEqual(dumps().slice(0, -1), laid);
  });

  test("fails where the dump is cut off, and leaves those that are there", () => {
    lay(40, 60);
    const kept = dumps();
    machine.program(
      "pg_dump",
      `PATH=\${PATH#*:} && pg_dump "$@" && truncate --size=2000 "$(sed 's/.*--file=\\([^ ]*\\).*/\\1/' <<< "$*")"`,
    );
    assert.throws(() => machine.backUp(), /pg_restore: error/);
    rmSync(machine.path("programs", "pg_dump"));
    assert.deepEqual(dumps(), kept);
  });

  test("fails with one line where it may not write into the folder, and leaves what is there", () => {
    const folder = machine.path("dumps");
    for (const there of [undefined, "maintenance-20260101T023000Z.dump.part"]) {
      if (there !== undefined) writeFileSync(machine.path("dumps", there), "");
      machine.run(`chmod 555 ${folder}`);
      const { code, stderr } = machine.outcomeOfBackup();
      machine.run(`chmod 755 ${folder}`);
      assert.equal(code, 1);
      assert.match(stderr, /^(pg_dump|rm): .*: Permission denied\n$/);
      assert.deepEqual(dumps(), [there].filter(Boolean));
    }
  });

  test("makes a dump that nobody else can read, whatever the umask, beside none of a run that was killed", () => {
    machine.program("pg_dump", `: > "$(sed 's/.*--file=\\([^ ]*\\).*/\\1/' <<< "$*")" && kill -9 $PPID`);
    assert.notEqual(machine.outcomeOfBackup().code, 0);
    rmSync(machine.path("programs", "pg_dump"));
    const [part = assert.fail()] = dumps();
    assert.match(part, /\.dump\.part$/);
    const umask = process.umask(0o022);
    machine.backUp();
    process.umask(umask);
    const [dump = assert.fail(), ...others] = dumps();
    assert.deepEqual([others, statSync(machine.path("dumps", dump)).mode & 0o777], [[], 0o600]);
  });

  test("has every character, whatever encoding the database asks for, also where the line of the URL ends as on Windows", async () => {
    const path = machine.path("credentials", "database-url");
    writeFileSync(path, readFileSync(path, "utf8").replace("\n", "\r\n"));
    const words = "Прес €";
    const owner = machine.asOwner();
    await owner.unsafe(`comment on table asset is '${words}'`);
    machine.run(`psql -q -c "alter database maintenance set client_encoding = 'LATIN1'"`);
    machine.backUp();
    const [dump = assert.fail()] = dumps();
    assert.ok(machine.run(`pg_restore --file=- ${machine.path("dumps", dump)}`).includes(words));
    machine.run(`psql -q -c "alter database maintenance reset client_encoding"`);
    await owner.unsafe("comment on table asset is null");
    await owner.end();
  });

  describe("of a database whose trail has five records", () => {
    const stateFile = () => machine.path("states", "maintenance-log.checkpoint");
    let signed: string;
    before(async () => {
      const sql = machine.asOwner();
      await sql.unsafe(`
        insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
          values ('Ada', 'Byron', '+45 12 34 56', 'a@example.com', 'a@example.com', 'ADMIN', 'none');
        insert into asset (name, description) values ('Pump', '');
        insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
          select '2026-01-01', 'PENDING', 'ERROR', 'Oil', 1, 1 from generate_series(1, 3)`);
      await sql.end();
      const service = await startService({
        DATABASE_URL: machine.credential("database-url"),
        SECRET_KEY: machine.credential("secret-key"),
        TRAIL_KEY: machine.credential("trail-key"),
        TRAIL_STATE_FILE: stateFile(),
      });
      await until(() => existsSync(stateFile()));
      signed = readFileSync(stateFile(), "utf8");
      await service.stop();
      assert.match(signed, /^.*\n5\n/);
    });
    beforeEach(() => {
      rmSync(stateFile(), { recursive: true, force: true });
      writeFileSync(stateFile(), signed);
      // A backup of each night of the last two months.
      lay(60, 1);
    });

    const removeLogs = async (which: string) => {
      const sql = machine.asOwner();
      await sql.unsafe(`
        alter table maintenance_log disable trigger append_only;
        delete from maintenance_log where ${which};
        alter table maintenance_log enable always trigger append_only`);
      await sql.end();
    };

    /** Saves it beside all other dumps, and fails, saying why. */
    const keepsAll = (why: RegExp) => {
      const { code, stdout, stderr } = machine.outcomeOfBackup();
      assert.equal(code, 65, stdout + stderr);
      assert.match(stderr, why);
      assert.match(stderr, /^backup: all older dumps are kept, .*\n/m);
      assert.match(stdout, /\.dump: \d+ bytes\n$/);
      assert.equal(dumps().length, 61);
      assert.ok(dumps().every(name => name.endsWith(".dump")));
    };

    test("removes old dumps while nothing is missing", () => {
      const { code, stdout, stderr } = machine.outcomeOfBackup();
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^records: ok\n/);
      assert.equal(dumps().length, 31);
    });

    for (const [what, change, says] of [
      [
        "remembers more entries than there are",
        () => writeFileSync(stateFile(), signed.replace("\n5\n", "\n7\n")),
        /^check: TRAIL_STATE_FILE remembers 7 entries of the trail, and the database has 5: 2 are missing$/m,
      ],
      ["is empty", () => writeFileSync(stateFile(), ""), /^check: TRAIL_STATE_FILE has no checkpoint: /m],
      [
        "is garbage",
        () => writeFileSync(stateFile(), "garbage\n"),
        /^check: TRAIL_STATE_FILE has no checkpoint: /m,
      ],
      [
        "is a folder",
        () => {
          rmSync(stateFile());
          mkdirSync(stateFile());
        },
        /^check: TRAIL_STATE_FILE cannot be read: it is not a regular file$/m,
      ],
    ] as const) {
      test(`removes none while the state file ${what}`, () => {
        change();
        keepsAll(says);
      });
    }

    test("removes none while the newest record is gone", async () => {
      await removeLogs("id = 3");
      keepsAll(/^check: the newest log record in the trail, 3, is gone: /m);
    });

    test("makes none while all logs are gone", async () => {
      await removeLogs("true");
      const { code, stdout, stderr } = machine.outcomeOfBackup();
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(
        stderr,
        /^check: the table maintenance_log is empty, though the trail has entries of its records: .*\n$/,
      );
      assert.equal(dumps().length, 60);
    });

    test("makes none of a database that cannot be reached", () => {
      const path = machine.path("credentials", "database-url");
      const url = readFileSync(path, "utf8");
      writeFileSync(path, url.replace(/:\d+\//, ":1/"));
      const { code, stderr } = machine.outcomeOfBackup();
      writeFileSync(path, url);
      assert.equal(code, 69, stderr);
      assert.equal(dumps().length, 60);
    });
  });
});
