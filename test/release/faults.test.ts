import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import { script } from "../support/compiled.ts";
import { findPostgresBinaries } from "../support/native-postgres.ts";

/** Why the faults cannot be tried here: they need a PostgreSQL server of their own to kill. */
function obstacle(): string | undefined {
  if (process.env["TEST_DATABASE"] === "embedded") return "the embedded PostgreSQL was asked for";
  return findPostgresBinaries() === undefined ? "this machine has no PostgreSQL binaries" : undefined;
}

// Most of their time is spent waiting, so that three at a time take a third of it.
describe("nothing is lost, doubled or hung in the short form of the faults", { concurrency: true }, () => {
  for (const part of ["1/3", "2/3", "3/3"]) test(`part ${part}`, t => runPart(t, part));
});

async function runPart(t: TestContext, part: string): Promise<void> {
  const reason = obstacle();
  if (reason !== undefined) return t.skip(reason);
  const args = [...script("test/lab/faults/run.ts"), "--short", "--part", part];
  const run = spawn(process.execPath, args, { stdio: "pipe" });
  t.after(() => run.kill());
  const [output, errors, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, "exit")]);
  for (const line of output.trim().split("\n")) t.diagnostic(line);
  assert.equal(code, 0, `${output}\n${errors}`);
  for (const [, name = "", reason] of output.matchAll(/^(\S+): skipped, since (.+)$/gm)) {
    await t.test(name, t => t.skip(reason));
  }
}
