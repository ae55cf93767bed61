import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { before, describe, test } from "node:test";
import { readCheckpoint } from "../../src/domain/trail/checkpoint.ts";
import { formatSignerKey } from "../../src/domain/trail/note.ts";
import { openDatabase, openEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { type Outcome, runProgram, type Settings, startProgram, startService } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { key } from "../support/trail-stage.ts";
import { until } from "../support/until.ts";

/** What happens after the name of a database has come to stand for another one: the state file is that of the first. */
describe("a database beside the state file of another", () => {
  const stateFile = join(makeTemporaryFolder(), "checkpoint");
  const settingsOf = ({ url }: TestDatabase) => ({
    DATABASE_URL: url,
    DATABASE_DURABILITY: "any",
    SECRET_KEY: "a secret of the tests, of more than thirty-two bytes",
    TRUSTED_PROXIES: "127.0.0.1",
    TRAIL_KEY: formatSignerKey(key),
    TRAIL_STATE_FILE: stateFile,
  });
  const backupOf = ({ url }: TestDatabase) => ({ DATABASE_URL: url, TRAIL_STATE_FILE: stateFile });
  const rememberedSize = () => readCheckpoint(readFileSync(stateFile, "utf8")).size;

  /** An asset each, with a record; serves until all of them are signed. */
  async function write(into: TestDatabase, names: readonly string[]) {
    for (const name of names)
      await into.session()`insert into asset (name, description) values (${name}, '')`;
  }

  /** Ends one that serves after a while. */
  async function serveToItsEnd(settings: Settings): Promise<Pick<Outcome, "code" | "stderr">> {
    const program = startProgram(["serve"], settings);
    program.stdout.resume();
    const timer = setTimeout(() => program.kill("SIGKILL"), 15_000);
    const [stderr, [code]] = await Promise.all([text(program.stderr), once(program, "exit")]);
    clearTimeout(timer);
    return { code, stderr };
  }

  before(async () => {
    await using first = await openDatabase();
    await write(first, ["one", "two", "three", "four", "five", "six"]);
    const service = await startService(settingsOf(first));
    await until(() => {
      try {
        return rememberedSize() === 6;
      } catch {
        return false;
      }
    });
    await service.stop();
    const whole = await runProgram(["check"], settingsOf(first));
    assert.deepEqual([whole.code, whole.stderr], [0, ""]);
    assert.match(whole.stdout, /^trail state file: ok$/m);
    const backup = await runProgram(["check", "--records"], backupOf(first));
    assert.deepEqual(backup, { code: 0, stdout: "records: ok\n", stderr: "" });
  });

  const emptied =
    "the database has no records, and TRAIL_STATE_FILE remembers 6 entries of its trail: restore a backup; if the trail is to begin anew, move that file away";

  test("and without tables is refused by migrate, which makes none", async () => {
    for (const name of ["migrate", "backup", "verify"]) {
      const unit = readFileSync(`deploy/maintenance-log-${name}.service`, "utf8");
      const file = "TRAIL_STATE_FILE=%S/maintenance-log/maintenance-log.checkpoint";
      assert.ok(unit.includes(`\nEnvironment=${file}\n`), name);
    }
    await using database = await openEmptyDatabase();
    const refused = await runProgram(["migrate"], backupOf(database));
    assert.deepEqual(refused, { code: 1, stdout: "", stderr: `migrate: ${emptied}\n` });
    const made = await database.session()`select from pg_class where relname = 'schema_migration'`;
    assert.equal(made.length, 0);
    const { code, stderr } = await runProgram(["check"], settingsOf(database));
    assert.equal(code, 1);
    assert.ok(stderr.includes(`check: ${emptied}\n`), stderr);

    const kept = `${stateFile}.kept`;
    renameSync(stateFile, kept);
    const anew = await runProgram(["migrate"], backupOf(database));
    renameSync(kept, stateFile);
    assert.equal(anew.code, 0, anew.stderr);
  });

  test("and without records is refused by serve and a backup, and check says so", async () => {
    await using database = await openDatabase();
    const { TRAIL_KEY: _, ...unsigned } = settingsOf(database);
    for (const settings of [settingsOf(database), unsigned]) {
      const refusal = { code: 1, stderr: `serve: ${emptied}\n` };
      const { code, stderr } = await serveToItsEnd({ ...settings, PORT: "0" });
      assert.deepEqual({ code, stderr }, refusal);
      const checked = await runProgram(["check"], settings);
      assert.deepEqual([checked.code, checked.stderr], [1, `check: ${emptied}\n`]);
    }
    const backup = await runProgram(["check", "--records"], backupOf(database));
    assert.deepEqual(backup, { code: 1, stdout: "", stderr: `check: ${emptied}\n` });
  });

  test("and with fewer entries is served and saved, check says how many are missing, and accept-trail wants that number", async () => {
    await using older = await openDatabase();
    await write(older, ["one", "two"]);
    const settings = settingsOf(older);
    const service = await startService(settings);
    await until(() => service.lines.some(line => line.includes('"trail broken"')));
    await service.stop();
    const missing =
      "TRAIL_STATE_FILE remembers 6 entries of the trail, and the database has 2: 4 are missing";
    const checked = await runProgram(["check"], settings);
    assert.deepEqual([checked.code, checked.stderr], [1, `check: ${missing}\n`]);
    const backup = await runProgram(["check", "--records"], backupOf(older));
    assert.deepEqual(backup, { code: 65, stdout: "", stderr: `check: ${missing}\n` });
    const migrated = await runProgram(["migrate"], backupOf(older));
    assert.equal(migrated.code, 0, migrated.stderr);

    const before = readFileSync(stateFile, "utf8");
    const accept = (...confirmation: string[]) =>
      runProgram(["accept-trail", "--reason", "the dump of Monday", ...confirmation], settings);
    for (const confirmation of [[], ["--gives-up", "3"], ["--gives-up", "0"]]) {
      const { code, stdout, stderr } = await accept(...confirmation);
      assert.deepEqual(
        [code, stdout, stderr],
        [
          1,
          "",
          "accept-trail: 4 of the 6 entries that were signed would be given up: to confirm that, add --gives-up 4\n",
        ],
      );
    }
    assert.equal((await accept("--gives-up", "four")).code, 64);
    assert.equal(readFileSync(stateFile, "utf8"), before);
    assert.equal((await older.session()`select from trail_acceptance`).length, 0);

    const accepted = await accept("--gives-up", "4");
    assert.deepEqual([accepted.code, rememberedSize()], [0, 2], accepted.stderr);
    const whole = await runProgram(["check"], settings);
    assert.deepEqual([whole.code, whole.stderr], [0, ""]);
    writeFileSync(stateFile, before);
  });

  test("and with another history is named by check", async () => {
    await using other = await openDatabase();
    await write(other, ["uno", "due", "tre", "quattro", "cinque", "sei", "sette"]);
    const service = await startService(settingsOf(other));
    await until(() => service.lines.some(line => line.includes('"trail broken"')));
    await service.stop();
    const { code, stderr } = await runProgram(["check"], settingsOf(other));
    const says = "the database does not have the 6 entries that TRAIL_STATE_FILE remembers";
    assert.deepEqual([code, stderr], [1, `check: ${says}\n`]);
  });
});
