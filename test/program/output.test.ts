import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { describeApi } from "../../dev/api-docs/describe.ts";
import { programCommand, script } from "../support/compiled.ts";
import { startProgram } from "../support/program.ts";
import { once } from "../support/until.ts";

/** Runs a command whose standard output is this descriptor. */
async function runInto(descriptor: number, args: readonly string[]) {
  const program = spawn(process.execPath, [...script("src/main.ts"), ...args], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", descriptor, "pipe"],
  });
  const [stderr, [code]] = await Promise.all([
    text(program.stderr as NonNullable<typeof program.stderr>),
    once(program, "exit"),
  ]);
  return { code, stderr };
}

describe("the output of a command", () => {
  test("is whole when its reader is slow", async () => {
    // A pipe takes 64 KiB, which is less than the document. The first byte says that the program writes.
    const command = `${programCommand} openapi | (dd bs=1 count=1 2>/dev/null; sleep 0.3; cat)`;
    const { stdout } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(await describeApi())));
  });

  test("that cannot be written is exit code 74 and a line", async t => {
    if (process.platform !== "linux") return t.skip("only Linux has /dev/full");
    for (const args of [["openapi"], ["--version"], ["serve", "--help"]]) {
      const full = openSync("/dev/full", "w");
      const { code, stderr } = await runInto(full, args);
      closeSync(full);
      assert.equal(code, 74, args.join());
      assert.match(stderr, /^[\w-]+: the output cannot be written whole: ENOSPC.*\n$/);
    }
  });

  test("may be /dev/null, opened in any way", async t => {
    if (process.platform === "win32") return t.skip("Windows has no /dev/null");
    for (const flags of ["w", "r+"]) {
      const nothing = openSync("/dev/null", flags);
      const outcome = await runInto(nothing, ["openapi"]);
      closeSync(nothing);
      assert.deepEqual(outcome, { code: 0, stderr: "" }, flags);
    }
  });

  test("whose reader quits is exit code 74", async () => {
    const program = startProgram(["openapi"], {});
    program.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(program.stderr), once(program, "exit")]);
    assert.equal(code, 74);
    assert.match(stderr, /^openapi: the output cannot be written whole: .*EPIPE.*\n$/);
  });
});
