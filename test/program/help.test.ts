import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { runProgram } from "../support/program.ts";

describe("--help after a command", () => {
  for (const [command, ...said] of [
    ["serve", /LISTEN_FDS/, /^ {2}PORT +default 7070; where the API listens/m],
    ["migrate", /maintenance_log_service/, /^ {2}DATABASE_URL +required; /m],
    ["create-admin", /--if-none/, /^ {2}ADMIN_PASSWORD +optional; /m],
    ["check", /69 no database/, /^ {2}SECRET_KEY +required; /m],
    ["export-logs", /--asset ID/, /RFC 4180/],
    ["openapi", /OpenAPI document/, /settings/],
    ["trail-key", /NAME/, /secret/, /^ {2}TRAIL_KEY +required; /m],
    ["audit", /--state FILE/, /^ {2}AUDIT_EMAIL +required; /m],
    ["verify", /--checkpoint FILE/, /--proof FILE/, /only --database needs settings/],
  ] as const) {
    test(`says what ${command} takes, whatever else is there, and runs nothing`, async () => {
      for (const args of [["--help"], ["--no-such-option", "--help"]]) {
        const { code, stdout, stderr } = await runProgram([command, ...args]);
        assert.deepEqual([code, stderr], [0, ""]);
        assert.ok(stdout.startsWith(`usage: node dist/main.js ${command}`), stdout);
        for (const pattern of said) assert.match(stdout, pattern);
        assert.equal(stdout.includes("SECRET_KEY"), command === "serve" || command === "check");
      }
    });
  }

  test("names the program as the installed script does", async () => {
    const settings = { PROGRAM_NAME: "maintenance-log" };
    assert.match((await runProgram(["--help"], settings)).stdout, /^usage: maintenance-log COMMAND\n/);
    assert.match(
      (await runProgram(["migrate", "--help"], settings)).stdout,
      /^usage: maintenance-log migrate\n/,
    );
    assert.match(readFileSync("deploy/command", "utf8"), /^export PROGRAM_NAME=maintenance-log /m);
  });

  test("the usage names every command", async () => {
    const { stdout } = await runProgram(["--help"]);
    for (const command of [
      "serve",
      "migrate",
      "create-admin",
      "check",
      "export-logs",
      "openapi",
      "trail-key",
      "verify",
    ]) {
      assert.match(stdout, new RegExp(`^  ${command} `, "m"));
    }
  });
});
