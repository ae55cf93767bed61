import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { programCommand } from "../support/compiled.ts";
import { openDatabase } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { nowhere } from "../support/native-postgres.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { once, until } from "../support/until.ts";

const columns =
  "id,performedDate,status,taskType,comment,assetId,assetName,performedByEmployeeId,performedByName";

/** What RFC 4180 has to be careful with, what JSON has to be careful with, and what spreadsheets trip over. */
const comments = [
  "",
  "a\rb",
  'a "quoted", word',
  "two\r\nlines",
  "a\nb\u2028c\u2029d\u0085e",
  "\t=1+1",
  "漢 😀 é",
  " spaces ",
];

const logCount = 25_000;

/** Fields and records as RFC 4180 has them; written from its grammar, without a look at the program. */
function parseCsv(source: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (let at = 0; at < source.length; ) {
    const field = /"((?:[^"]|"")*)"|[^",\r\n]*/y;
    field.lastIndex = at;
    const [whole = "", quoted] = field.exec(source) ?? [];
    record.push(quoted === undefined ? whole : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (source[at] === ",") at += 1;
    else {
      assert.equal(source.slice(at, at + 2), "\r\n", `a record ends with CRLF: at ${at}`);
      at += 2;
      records.push(record);
      record = [];
    }
  }
  return records;
}

describe("export-logs", async () => {
  const database = await shared(openDatabase());
  const settings = { DATABASE_URL: database.url };
  const sql = database.session();
  await sql`insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
    values ('Ada', 'O"Neil', '123456', 'a@b.c', 'a@b.c', 'ADMIN', 'x')`;
  await sql`insert into asset (name, description) values ('Pump, left', ''), ('Lift', ''), ('Unused', '')`;
  for (const [i, comment] of comments.entries()) {
    await sql`insert into maintenance_log
        (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
      values (${`2026-01-0${i + 1}T10:00:00.5`}::text::timestamp, 'PENDING', 'ERROR', ${comment}, 1, 1)`;
  }
  await sql`insert into maintenance_log
      (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
    select '2020-01-01'::timestamp + n % 1000 * interval '1 hour', 'COMPLETED', 'MAINTENANCE',
      repeat('x', 100), 2, 1
    from generate_series(1, ${logCount}::int) as n`;

  test("writes each log once, newest first, as the API answers it", async () => {
    const { code, stdout, stderr } = await runProgram(["export-logs"], settings);
    assert.deepEqual([code, stderr], [0, ""]);
    // Some readers end a line at these, too.
    assert.doesNotMatch(stdout, /[\u0085\u2028\u2029]/);
    const logs = stdout
      .trimEnd()
      .split("\n")
      .map(line => JSON.parse(line));
    assert.equal(new Set(logs.map(log => log.id)).size, logCount + comments.length);
    assert.equal(logs.length, logCount + comments.length);
    const sorted = logs.toSorted((a, b) =>
      a.performedDate === b.performedDate ? b.id - a.id : a.performedDate < b.performedDate ? 1 : -1,
    );
    assert.deepEqual(logs, sorted);
    assert.deepEqual(logs[1], {
      id: 7,
      performedDate: "2026-01-07T10:00:00.5",
      status: "PENDING",
      taskType: "ERROR",
      comment: "漢 😀 é",
      assetId: 1,
      assetName: "Pump, left",
      performedByEmployeeId: 1,
      performedByName: 'Ada O"Neil',
    });
  });

  test("writes those of one asset, in both formats with the same content", async () => {
    const one = ["export-logs", "--asset", "1"];
    const json = await runProgram(one, settings);
    const csv = await runProgram([...one, "--format", "csv"], settings);
    assert.deepEqual([json.code, csv.code], [0, 0]);
    const logs = json.stdout
      .trimEnd()
      .split("\n")
      .map(line => JSON.parse(line));
    assert.deepEqual(
      logs.map(log => log.comment),
      comments.toReversed(),
    );
    const [head = [], ...records] = parseCsv(csv.stdout);
    assert.equal(head.join(), columns);
    assert.deepEqual(
      records,
      logs.map(log => head.map(column => String(log[column]))),
    );
  });

  test("an asset without logs is an empty export, an unknown one is 65", async () => {
    const empty = await runProgram(["export-logs", "--asset", "3"], settings);
    assert.deepEqual(empty, { code: 0, stdout: "", stderr: "" });
    const header = await runProgram(["export-logs", "--asset", "3", "--format", "csv"], settings);
    assert.deepEqual([header.code, header.stdout], [0, `${columns}\r\n`]);
    const unknown = await runProgram(["export-logs", "--asset", "99"], settings);
    assert.deepEqual(unknown, { code: 65, stdout: "", stderr: "export-logs: Asset not found\n" });
  });

  test("refuses wrong arguments with 64 and wrong settings with 78", async () => {
    for (const [args, reason] of [
      [["--format", "xml"], "--format is neither ndjson nor csv"],
      [["--format", "toString"], "--format is neither ndjson nor csv"],
      [["--asset", "1 or 1=1"], "--asset is not the id of an asset"],
      [["--asset", "-1"], "Option '--asset' argument is ambiguous"],
      [["pumps"], "Unexpected argument 'pumps'"],
    ] as const) {
      const { code, stdout, stderr } = await runProgram(["export-logs", ...args], settings);
      assert.deepEqual([code, stdout], [64, ""]);
      assert.ok(stderr.startsWith(`export-logs: ${reason}`), stderr);
    }
    assert.equal((await runProgram(["export-logs"], { DATABASE_URL: "x" })).code, 78);
    const DATABASE_URL = await nowhere();
    assert.equal((await runProgram(["export-logs"], { DATABASE_URL })).code, 69);
  });

  test("ends with 74 when its reader quits", async () => {
    const program = startProgram(["export-logs"], settings);
    const errors = text(program.stderr);
    await once(program.stdout, "data");
    program.stdout.destroy();
    const [code] = await once(program, "exit");
    assert.equal(code, 74);
    assert.match(await errors, /^export-logs: the output cannot be written whole: [^\n]*EPIPE\n$/);
  });

  test("reads no more than its reader takes, so that the length costs no memory", async t => {
    if (!database.hasUsers) return t.skip("the embedded database has one session for everybody");
    // As seen by the database: a reader who has stopped stops the statements.
    const program = startProgram(["export-logs"], settings);
    program.stdout.pause();
    const ended = once(program, "exit");
    try {
      const idle = async () => {
        const [row] = await sql`select query_start::text as at from pg_stat_activity
          where application_name = 'maintenance-log' and state = 'idle' and datname = current_database()`;
        return row?.["at"] as string | undefined;
      };
      const seen: (string | undefined)[] = [];
      // Stalled when the newest statement stays the same over many looks.
      await until(async () => {
        assert.equal(program.exitCode, null, "it has ended, with nobody reading");
        seen.push(await idle());
        await sleep(20);
        return seen.length >= 20 && new Set(seen.slice(-20)).size === 1 && seen.at(-1) !== undefined;
      });
    } finally {
      program.stdout.resume();
      const [code] = await ended;
      assert.equal(code, 0);
    }
  });

  test("ends with 74 when the disk is full, and when its reader quits", t => {
    if (process.platform !== "linux") return t.skip("only Linux has /dev/full");
    const env = { PATH: process.env["PATH"], ...settings };
    for (const target of ["> /dev/full", "| head -c 10 > /dev/null; exit $PIPESTATUS"]) {
      const command = `${programCommand} export-logs ${target}`;
      const { status, stderr } = spawnSync("bash", ["-c", command], { env, encoding: "utf8" });
      assert.equal(status, 74, stderr);
      assert.match(stderr, /^export-logs: the output cannot be written whole: /m);
    }
  });
});
