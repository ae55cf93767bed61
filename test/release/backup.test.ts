import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import { findPostgresBinaries } from "../support/native-postgres.ts";
import { StubMachine } from "../support/stub-machine.ts";

const binaries = findPostgresBinaries();

describe("the backup", { skip: binaries === undefined }, () => {
  let machine: StubMachine;
  before(async () => {
    machine = await StubMachine.make(binaries as string);
  });
  after(() => machine?.stop());
  beforeEach(() => machine.run(`rm -f ${machine.path("dumps")}/*`));

  const dumps = () => readdirSync(machine.path("dumps")).sort();
  /** As if there were a backup on each of so many days that ended so long ago. */
  const lay = (count: number, daysAgo: number): void =>
    void machine.run(`
      for day in $(seq ${daysAgo} ${daysAgo + count - 1}); do
        touch -d "$day days ago" ${machine.path("dumps")}/maintenance-$(date -u -d "$day days ago" +%Y%m%dT%H%M%SZ).dump
      done`);

  test("removes dumps that are older than KEEP_DAYS, but none of the newest 30", () => {
    lay(40, 1);
    machine.backUp();
    assert.equal(dumps().length, 31, "today, and 30 that are not more than 30 days old");
    machine.run(`rm ${machine.path("dumps")}/*`);
    // A month off, or a clock that is a month ahead.
    lay(40, 60);
    const [newest = ""] = dumps().toReversed();
    machine.backUp();
    assert.equal(dumps().length, 30);
    assert.ok(dumps().includes(newest));
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

  test("reads a URL whose line ends as on Windows, as the service does", () => {
    const path = machine.path("credentials", "database-url");
    writeFileSync(path, readFileSync(path, "utf8").replace("\n", "\r\n"));
    machine.backUp();
    assert.equal(dumps().length, 1);
  });
});
