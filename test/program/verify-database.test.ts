import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { acceptanceInWords, openAcceptance } from "../../src/domain/trail/acceptance.ts";
import { formatSignerKey, formatVerifierKey } from "../../src/domain/trail/note.ts";
import { runCommand } from "../support/command.ts";
import { openDatabase } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { runProgram, startService } from "../support/program.ts";
import { notNamed, type Tampering, tamper, tamperedTables, tamperings } from "../support/tamperings.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { key } from "../support/trail-stage.ts";
import { until } from "../support/until.ts";

const vkey = formatVerifierKey(key);

describe("the trail of a database", async () => {
  const folder = makeTemporaryFolder();
  const stateFile = join(folder, "checkpoint");
  const database = await shared(openDatabase());
  const sql = database.session();
  before(async () => {
    await sql`insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
      values ('Ada', 'Byron', '123456', 'a', 'a', 'TECHNICIAN', 'x')`;
    await sql`insert into asset (name, description) values ('Pump', '')`;
    await write(1, 1_200);
    for (const table of ["employee_event", "asset_event"]) {
      await sql.unsafe(`alter table ${table} disable trigger all`);
      await sql.unsafe(`update ${table} set recorded_at = '2026-01-01'`);
      await sql.unsafe(`alter table ${table} enable trigger all`);
    }
    await arm();
  });

  const write = (from: number, to: number) => sql`
    insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, recorded_at)
    select '2026-01-01', 'PENDING', 'ERROR', 'log ' || i, 1, 1, '2026-01-01T00:00Z'::timestamptz + i * interval '2 minutes'
    from generate_series(${from}::integer, ${to}::integer) i`;

  const settings = () => ({
    DATABASE_URL: database.url,
    DATABASE_DURABILITY: "any",
    SECRET_KEY: "a secret of the tests, of more than thirty-two bytes",
    TRAIL_KEY: formatSignerKey(key),
    TRAIL_STATE_FILE: stateFile,
  });
  /** Puts back the triggers, and whatever else a tampering has weakened: serve refuses a database without it. */
  const arm = async () =>
    assert.equal((await runProgram(["migrate"], { DATABASE_URL: database.url })).code, 0);
  const verify = () => runProgram(["verify", "--database", "--key", vkey], settings());
  const exported = async (...args: string[]) =>
    (await runProgram(["export-trail", ...args], settings())).stdout;

  /** Serves until a checkpoint covers so many entries; answers the events of the log. */
  async function serveUntil(isDone: (events: readonly Record<string, unknown>[]) => boolean) {
    const service = await startService(settings());
    const events = () => service.lines.map(line => JSON.parse(line) as Record<string, unknown>);
    await until(() => isDone(events()));
    const { stdout } = await service.stop();
    return stdout
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>);
  }
  const stateSize = () => {
    try {
      return Number(readFileSync(stateFile, "utf8").split("\n")[1]);
    } catch {
      return -1;
    }
  };

  /** What verify finds after a tampering, which is undone afterwards. */
  async function foundAfter(tampering: Tampering, given = settings()): Promise<string[]> {
    for (const table of tamperedTables)
      await sql.unsafe(`create table kept_${table} as select * from ${table}`);
    await tamper(sql, database.url, tampering);
    const { code, stderr } = await runCommand("verify", ["--database", "--key", vkey], given);
    for (const table of tamperedTables) {
      await sql.unsafe(`delete from ${table}`);
      await sql
        .unsafe(`insert into ${table} overriding system value select * from kept_${table}`)
        .catch(() => sql.unsafe(`insert into ${table} select * from kept_${table}`));
      await sql.unsafe(`drop table kept_${table}`);
    }
    for (const table of tamperedTables) await sql.unsafe(`alter table ${table} enable trigger all`);
    assert.equal(code, 1, stderr);
    return stderr.trimEnd().split("\n");
  }

  test("is numbered and signed by a service, whatever was there before", async () => {
    const events = await serveUntil(() => stateSize() === 1_202);
    const [first] = events;
    assert.equal(first?.["event"], "listening");
    const checkpoints = events.filter(({ event }) => event === "checkpoint");
    assert.equal(checkpoints.at(-1)?.["note"], readFileSync(stateFile, "utf8"));
    assert.deepEqual(await verify(), {
      code: 0,
      stdout: "1202 entries: all records match, and the tree extends the checkpoints\n",
      stderr: "",
    });
  });

  test("its export verifies offline, and from any entry on", async () => {
    const all = await exported();
    assert.equal(all.split("\n").length, 1_203);
    const [entries, checkpoint] = [join(folder, "entries"), join(folder, "old")];
    writeFileSync(entries, all);
    writeFileSync(checkpoint, readFileSync(stateFile));
    const args = ["verify", "--key", vkey, "--checkpoint", checkpoint, "--entries", entries];
    assert.equal((await runProgram(args, {})).code, 0);
    assert.equal(await exported("--from", "1201"), `${all.trimEnd().split("\n").at(-1)}\n`);
    assert.equal((await runProgram(["export-trail", "--from", "x"], settings())).code, 64);
    const past = await runProgram(["export-trail", "--from", "999999"], settings());
    assert.deepEqual([past.code, past.stdout], [65, ""]);
    assert.match(past.stderr, /^export-trail: the trail has \d+ entries\n$/);
  });

  for (const tampering of tamperings) {
    test(`names ${tampering.what}`, async () => {
      const lines = await foundAfter(tampering);
      assert.deepEqual(notNamed(tampering, lines), [], lines.slice(0, 5).join("\n"));
    });
  }

  test("names what is far beyond all other ids, of records and of employees themselves", async () => {
    const lines = await foundAfter({
      what: "ids that leave all parts between them empty",
      statements: [
        `insert into maintenance_log (id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id, recorded_at)
         overriding system value values (4000000000000000, '2020-01-01', 'PENDING', 'ERROR', '', 1, 1, null)`,
        `insert into employee (id, first_name, last_name, phone, email, email_folded, role, password_hash)
         overriding system value values (3000000, 'Eve', 'Hill', '123456', 'e', 'e', 'ADMIN', 'x')`,
      ],
      found: [],
    });
    assert.deepEqual(lines, [
      "log 4000000000000000: has no entry: it was slipped in, or is not numbered yet",
      "employee 3000000: changed without a record",
      "differences found: 2",
    ]);
  });

  test("names ids that no record can have, and goes on where a column is empty", async () => {
    const columns =
      "performed_date, status, task_type, comment, asset_id, performed_by_employee_id, recorded_at";
    const log = "'2020-01-01', 'PENDING', 'ERROR', 'hidden', 1, 1, now() + interval '1 day'";
    const ids = ["9223372036854775807", "-9223372036854775808", "9007199254740993", "4503599627370496", "-5"];
    const lines = await foundAfter({
      what: "ids outside of all sequences, and empty columns",
      statements: [
        "alter table maintenance_log drop constraint maintenance_log_id_check",
        "alter table maintenance_log alter comment drop not null",
        "alter table trail_entry alter hash drop not null",
        ...ids.map(
          id => `insert into maintenance_log (id, ${columns}) overriding system value values (${id}, ${log})`,
        ),
        "update maintenance_log set comment = null where id = 700",
        "update trail_entry set hash = null where index = 2",
      ],
      found: [],
    });
    for (const id of ids) {
      assert.ok(lines.includes(`log ${id}: has no entry: it was slipped in, or is not numbered yet`), id);
    }
    assert.ok(lines.includes("log 700: changed"));
    assert.ok(lines.includes("log 1: changed"));
    assert.ok(lines.includes("entry 2 was removed"));
    assert.match(lines.at(-1) ?? "", /^differences found: \d+$/);
  });

  test("names a record by the id of its employee or asset, and an empty checkpoint", async () => {
    const lines = await foundAfter({
      what: "records that were slipped in, and an empty checkpoint",
      statements: [
        `insert into employee_event (id, employee_id, role, active, recorded_at) overriding system value
         select 500, id, role, active, '2020-01-01' from employee where id = 1`,
        `insert into asset_event (id, asset_id, name, description, active, recorded_at) overriding system value
         select 500, id, name, description, active, '2020-01-01' from asset where id = 1`,
        "alter table trail_checkpoint alter note drop not null",
        "insert into trail_checkpoint (note) values (null)",
      ],
      found: [],
    });
    const slippedIn = "has no entry: it was slipped in, or is not numbered yet";
    assert.deepEqual(lines, [
      `employee 1: ${slippedIn}`,
      `asset 1: ${slippedIn}`,
      "the checkpoint in database is not a signed note",
      "differences found: 3",
    ]);
  });

  test("names a record that is there twice", async () => {
    const lines = await foundAfter({
      what: "a log and a record of an asset, each with a copy",
      statements: ["maintenance_log", "asset_event"].flatMap(table => [
        `alter table ${table} drop constraint ${table}_pkey`,
        `insert into ${table} overriding system value select * from ${table} where id = 1`,
      ]),
      found: [],
    });
    for (const table of ["maintenance_log", "asset_event"])
      await sql.unsafe(`alter table ${table} add primary key (id)`);
    assert.deepEqual(lines, ["asset 1: is there twice", "log 1: is there twice", "differences found: 2"]);
  });

  /** Logs under the next ids, which have no numbers: what verify finds of them. */
  async function foundOfLogsAt(...moments: readonly string[]) {
    const [last] = await sql`select last_value as id from maintenance_log_id_seq`;
    for (const moment of moments)
      await sql`
        insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, recorded_at)
        values ('2026-01-01', 'PENDING', 'ERROR', 'new', 1, 1, ${moment}::timestamptz)`;
    const { code, stderr } = await verify();
    await sql`alter table maintenance_log disable trigger all`;
    await sql`delete from maintenance_log where id > ${last?.["id"]}`;
    await sql`alter table maintenance_log enable always trigger append_only`;
    await sql`select setval('maintenance_log_id_seq', ${last?.["id"]})`;
    const named = [...stderr.matchAll(/log (\d+): has no entry/g)];
    assert.equal(code, named.length === 0 ? 0 : 1, stderr);
    return named.map(([, id]) => Number(id) - Number(last?.["id"]));
  }

  test("does not take a log for one that was slipped in that was made within a minute of the newest, whatever the clock says", async () => {
    // The last entry was recorded at four o'clock of a day that is long gone: so is a dump of that day.
    const now = new Date().toISOString();
    const [lastEntry, later, muchLater] = [
      "2026-01-02T16:00:30Z",
      "2026-01-02T16:05Z",
      "2026-01-02T16:06:30Z",
    ];
    assert.deepEqual(await foundOfLogsAt(lastEntry), []);
    assert.deepEqual(await foundOfLogsAt(now, now), []);
    // The clock of the database was set back between the two.
    assert.deepEqual(await foundOfLogsAt(lastEntry, "2026-01-02T15:00Z"), []);
    // Minutes of writes without a number: the service was not there, or somebody has slipped them in.
    assert.deepEqual(await foundOfLogsAt(later, muchLater), [1]);
  });

  test("takes a log for one that was slipped in whose id was never issued, whenever it was made", async () => {
    const lines = await foundAfter({
      what: "a log of the last minute under an id of the owner",
      statements: [
        `insert into maintenance_log (id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
         overriding system value values (5000, '2026-01-01', 'PENDING', 'ERROR', 'new', 1, 1)`,
      ],
      found: [],
    });
    assert.deepEqual(lines, [
      "log 5000: has no entry: it was slipped in, or is not numbered yet",
      "differences found: 1",
    ]);
  });

  test("does not pass where no checkpoint is left to hold the tree against", async () => {
    const lines = await foundAfter(
      { what: "all checkpoints removed", statements: ["delete from trail_checkpoint"], found: [] },
      { ...settings(), TRAIL_STATE_FILE: join(folder, "none") },
    );
    assert.deepEqual(lines, ["no checkpoint says which entries were signed", "differences found: 1"]);
  });

  test("names entries outside of the trail, which the database refuses", async () => {
    const forged = ["-5", "9223372036854775807"].map(
      index => `insert into trail_entry (index, kind, record_id, hash)
        values (${index}, 'log', ${100_000 + index.length}, decode(repeat('00', 32), 'hex'))`,
    );
    for (const statement of forged) {
      await assert.rejects(sql.unsafe(statement), { constraint_name: "trail_entry_index_check" });
    }
    const lines = await foundAfter({
      what: "entries outside of the trail",
      statements: ["alter table trail_entry drop constraint trail_entry_index_check", ...forged],
      found: [],
    });
    assert.deepEqual(lines, [
      "log 100002: has an entry outside of the trail",
      "log 100019: has an entry outside of the trail",
      "differences found: 2",
    ]);
  });

  test("names a state file that cannot be read", async () => {
    const given = { ...settings(), TRAIL_STATE_FILE: folder };
    const { code, stderr } = await runCommand("verify", ["--database", "--key", vkey], given);
    assert.deepEqual(
      [code, stderr],
      [1, `TRAIL_STATE_FILE cannot be read: it is not a regular file\ndifferences found: 1\n`],
    );
  });

  test("names an employee and an asset that are gone", async () => {
    const lines = await foundAfter({
      what: "rows that records are about",
      statements: ["delete from employee where id = 1", "delete from asset where id = 1"],
      found: [],
    });
    assert.deepEqual(lines, ["employee 1: removed", "asset 1: removed", "differences found: 2"]);
  });

  test("names every record, however many, and goes on to the tree and the checkpoints", async () => {
    const lines = await foundAfter({
      what: "more than a call takes arguments, after more changes than anybody reads",
      statements: [
        "update maintenance_log set comment = 'forged' where id <= 1000",
        "delete from trail_entry where index >= 1024",
        `insert into maintenance_log (id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id, recorded_at)
         overriding system value
         select 20000 + i, '2020-01-01', 'PENDING', 'ERROR', '', 1, 1, '2020-01-01' from generate_series(1, 150000) i`,
      ],
      found: [],
    });
    const count = (pattern: RegExp) => lines.filter(line => pattern.test(line)).length;
    assert.equal(count(/^log \d+: changed$/), 1_000);
    // The newest of them may be one that waits for its number.
    assert.equal(count(/^log \d+: has no entry: /), 150_177);
    assert.equal(count(/^the checkpoint in (database|TRAIL_STATE_FILE), .* is not extended/), 2);
    assert.equal(lines.at(-1), "differences found: 151179");
  });

  test("an older dump is refused by the service, until it is accepted", async () => {
    for (const table of ["maintenance_log", "trail_entry", "trail_node", "trail_checkpoint"]) {
      await sql.unsafe(`alter table ${table} disable trigger all`);
    }
    await sql`delete from maintenance_log where id > 1100`;
    await sql`delete from trail_entry where index >= 1024`;
    await sql`delete from trail_node where (index + 1) * 2 ^ level > 1024`;
    await sql`delete from trail_checkpoint`;
    for (const table of ["maintenance_log", "trail_entry", "trail_node", "trail_checkpoint"]) {
      await sql.unsafe(`alter table ${table} enable trigger all`);
    }
    // The columns that a tampering has freed, which migrate leaves to the operator.
    for (const column of [
      "maintenance_log alter comment",
      "trail_entry alter hash",
      "trail_entry alter kind",
      "trail_checkpoint alter note",
    ])
      await sql.unsafe(`alter table ${column} set not null`);
    await arm();
    const before = readFileSync(stateFile, "utf8");
    const broken = await serveUntil(events => events.some(({ event }) => event === "trail broken"));
    assert.equal(readFileSync(stateFile, "utf8"), before);
    assert.match(
      String(broken.find(({ event }) => event === "trail broken")?.["contradicts"]),
      /^TRAIL_STATE_FILE 1202 /,
    );

    const { TRAIL_KEY: _, ...withoutKey } = settings();
    for (const reason of [[], ["--reason", " \t"], ["--reason", "a\nb"], ["--reason", "x".repeat(1_001)]])
      assert.equal((await runProgram(["accept-trail", ...reason], settings())).code, 64);
    assert.equal((await runProgram(["accept-trail", "--reason", "x"], withoutKey)).code, 78);
    const accepted = await runProgram(
      ["accept-trail", "--reason", "restored the dump of Monday", "--gives-up", "100"],
      settings(),
    );
    assert.deepEqual([accepted.code, JSON.parse(accepted.stdout).reason], [0, "restored the dump of Monday"]);
    const [acceptance] = await sql`select note from trail_acceptance`;
    const { time, level, event, ...told } = JSON.parse(accepted.stdout);
    assert.deepEqual([level, event], ["warn", "trail accepted"]);
    assert.deepEqual(acceptanceInWords(openAcceptance(acceptance?.["note"], [key])), told);
    assert.match(told.refused, /^1202 /);
    assert.match(told.accepted, /^\d+ \S{44}$/);
    await write(5_000, 5_010);
    await serveUntil(() => stateSize() === 1_113);
    assert.equal((await verify()).code, 0);
  });

  test("the last checkpoint before a stop is in the database and in the log", async () => {
    const service = await startService(settings());
    const noted = () =>
      service.lines
        .map(line => JSON.parse(line))
        .filter(({ event }) => event === "checkpoint")
        .map(({ note }) => note);
    await until(() => noted().length > 0);
    const size = stateSize();
    await write(6_000, 6_000);
    await until(() => stateSize() === size + 1);
    await service.stop();
    const [stored] = await sql`select note from trail_checkpoint order by id desc limit 1`;
    const note = readFileSync(stateFile, "utf8");
    assert.deepEqual([noted().at(-1), stored?.["note"]], [note, note]);
  });

  // The last test: nothing but a new type takes a word back, and `serve` refuses a database with one more.
  test("names an entry of a kind that the owner of the tables has added", async () => {
    await sql`alter type trail_kind add value 'hidden'`;
    const lines = await foundAfter({
      what: "a removal, after which the entry has another kind",
      statements: [
        "update trail_entry set kind = 'hidden' where kind = 'log' and record_id = 24",
        "delete from maintenance_log where id = 24",
      ],
      found: [],
    });
    assert.deepEqual(lines, ["entry 25: has no known kind", "differences found: 1"]);
  });
});
