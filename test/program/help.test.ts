import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { commands } from "../../src/commands/commands.ts";
import { helpOf } from "../../src/commands/help.ts";
import { runProgram } from "../support/program.ts";

/** Its words for each command are those of docs/commands.md, which is made of them. */
describe("--help", () => {
  test("after a command says what it takes, whatever else is there, and runs nothing", async () => {
    const stdout = `${await helpOf("create-admin")}\n`;
    for (const args of [["--help"], ["--no-such-option", "--help"]])
      assert.deepEqual(await runProgram(["create-admin", ...args]), { code: 0, stdout, stderr: "" });
  });

  test("shows the settings that a command reads, with their defaults", async () => {
    for (const [name, { settings, run }] of Object.entries(commands)) {
      const [, loaded = ""] = /import\("\.\/([\w-]+)/.exec(String(run)) ?? [];
      const code =
        loaded && readFileSync(`src/commands/${loaded.replace(/^verify$/, "$&-database")}.ts`, "utf8");
      assert.equal(settings !== undefined, /config\/[\w-]*settings\.ts/.test(code), name);
      const read = settings === "serveSettings" ? "readServeSettings" : (settings ?? "");
      assert.ok(code.includes(read), `${name} reads ${read}`);
    }
    assert.match(await helpOf("serve"), /^ {2}PORT +default 7070; where the API listens/m);
    assert.match(await helpOf("create-admin"), /^ {2}ADMIN_PASSWORD +optional; /m);
  });

  test("alone lists every command, and names the program as the installed script does", async () => {
    const { code, stdout } = await runProgram(["--help"], { PROGRAM_NAME: "maintenance-log" });
    assert.equal(code, 0);
    assert.match(stdout, /^usage: maintenance-log COMMAND\n/);
    for (const name of Object.keys(commands)) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
    assert.match(readFileSync("deploy/command", "utf8"), /^export PROGRAM_NAME=maintenance-log /m);
  });
});
