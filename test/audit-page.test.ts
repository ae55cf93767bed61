import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("each command that docs/audit.md gives to a reviewer prints as many lines as the page says", () => {
  const page = readFileSync("docs/audit.md", "utf8");
  const [, section = ""] = /\n## What to grep for\n(.*?)\n## /s.exec(page) ?? [];
  const commands = [...section.matchAll(/```sh\n(grep .*)\n```\n(\d+) lines?\b/g)];
  assert.ok(commands.length > 10);
  assert.equal(commands.length, section.split("```sh").length - 1);
  for (const [, command = "", lines] of commands) {
    const printed = execFileSync("bash", ["-c", command], { encoding: "utf8" });
    assert.equal(printed.split("\n").length - 1, Number(lines), command);
  }
});
