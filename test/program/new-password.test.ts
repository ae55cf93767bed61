import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { programCommand } from "../support/compiled.ts";
import { openDatabase } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { runProgram } from "../support/program.ts";
import { once } from "../support/until.ts";

const lacksScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") !== true;

/** Runs a command on a terminal, and types each answer when its question is there. */
async function onTerminal(command: string, settings: Record<string, string>, answers: readonly string[]) {
  const program = `exec ${programCommand} ${command}`;
  const env = { PATH: process.env["PATH"], SHELL: "/bin/sh", ...settings };
  const terminal = spawn("script", ["-qec", program, "/dev/null"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const left = [...answers];
  let seen = "";
  let asked = 0;
  terminal.stdout.setEncoding("utf8").on("data", chunk => {
    seen += chunk;
    const questions = seen.match(/Password( again)?: /g)?.length ?? 0;
    for (; asked < questions; asked += 1) terminal.stdin.write(left.shift() ?? "");
  });
  const [code] = (await once(terminal, "exit")) as [number | null];
  return { code, lines: seen.trimEnd().split(/\r?\n/) };
}

describe("the prompt for a password", {
  skip: lacksScript && "there is no script of util-linux",
}, async () => {
  const email = "ada@example.com";
  const settings = { DATABASE_URL: (await shared(openDatabase())).url };

  test("asks twice and shows nothing of what is typed", async () => {
    const { code, lines } = await onTerminal(`create-admin --email ${email}`, settings, [
      "first pass-word\r",
      "first pass-word\r",
    ]);
    const created = `${email} is an active ADMIN (employee 1)`;
    const [, , event] = lines;
    assert.deepEqual([code, lines], [0, ["Password: ", "Password again: ", event, created]]);
  });

  test("refuses two passwords that differ, and changes nothing", async () => {
    const { code, lines } = await onTerminal(`set-password --email ${email}`, settings, [
      "one pass\r",
      "other\r",
    ]);
    const refused = "set-password: the two passwords differ";
    assert.deepEqual([code, lines], [65, ["Password: ", "Password again: ", refused]]);
  });

  for (const [key, typed] of [
    ["Ctrl-C", "\x03"],
    ["Ctrl-D", "\x04"],
  ] as const) {
    test(`ends at ${key}, at either question`, async () => {
      const ended = "set-password: no password was given";
      for (const answers of [[typed], ["one pass\r", typed]]) {
        const { code, lines } = await onTerminal(`set-password --email ${email}`, settings, answers);
        assert.deepEqual([code, lines.at(-1)], [1, ended]);
      }
    });
  }

  test("comes after the email has been found right", async () => {
    for (const [command, refusal] of [
      ["create-admin --email nobody", "create-admin: Invalid email format"],
      ["set-password --email nobody@example.com", "set-password: Employee not found"],
    ] as const) {
      assert.deepEqual(await onTerminal(command, settings, []), { code: 65, lines: [refusal] });
    }
    const outcome = await runProgram(["create-admin", "--email", "nobody"], settings, "");
    assert.deepEqual(outcome, { code: 65, stdout: "", stderr: "create-admin: Invalid email format\n" });
  });
});
