import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { toBase64 } from "../../src/domain/trail/encoding.ts";
import { makeSignerKey, signNote } from "../../src/domain/trail/note.ts";
import { runProgram } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { answeredLog, logEntry, makeTestTrail } from "../support/trail.ts";

/** One line up, in both forms, and the right-to-left override: what would rewrite what a terminal shows. */
const hostile = "\u001b[1A\u009b1A\u202e";
const shown = "\\u{1b}[1A\\u{9b}1A\\u{202e}";

const folder = makeTemporaryFolder();

const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const verify = async (...args: string[]) => {
  const { code, stdout, stderr } = await runProgram(["verify", ...args]);
  assert.doesNotMatch(stdout + stderr, /[^\P{C}\n]/u);
  return { code, said: stdout + stderr };
};

describe("what verify says of a file shows control characters as text", () => {
  const trail = makeTestTrail();
  trail.add(logEntry(1));
  const key = ["--key", trail.vkey];
  const proof = file("proof", trail.proof(0));
  const log = (fields: object) =>
    file("log.json", JSON.stringify({ ...answeredLog(logEntry(1)), ...fields }));

  test("in the name of a member, which is quoted", async () => {
    const { code, said } = await verify(...key, "--proof", proof, "--log", log({ [hostile]: 1, "a, b": 1 }));
    assert.equal(code, 0);
    assert.match(said, /not proven: assetName, "\\u001b\[1A\\u\{9b\}1A\\u\{202e\}", "a, b"\n$/);
  });

  test("in a value", async () => {
    const { code, said } = await verify(...key, "--proof", proof, "--log", log({ comment: hostile }));
    assert.equal(code, 1);
    assert.ok(said.includes('the log has "\\u001b[1A\\u{9b}1A\\u{202e}"'), said);
  });

  test("in an entry", async () => {
    const strange = makeTestTrail();
    strange.add({ ...logEntry(1), [hostile]: 1 } as ReturnType<typeof logEntry>);
    const { code, said } = await verify(
      ...key,
      "--proof",
      file("strange", strange.proof(0)),
      "--log",
      log({}),
    );
    assert.equal(code, 1);
    assert.ok(said.includes(`has a wrong ${shown}`), said);
  });

  test("in an origin", async () => {
    const signer = makeSignerKey("example.com/log", new Uint8Array(32).fill(3));
    const text = `\u009b1A\u202e\n0\n${toBase64(new Uint8Array(32))}\n`;
    const note = file("note", signNote(text, signer));
    const { code, said } = await verify(...key, "--checkpoint", note, "--entries", file("entries", ""));
    assert.equal(code, 1);
    assert.match(said, /is of \\u\{9b\}1A\\u\{202e\}, which is not the name of the key\n$/);
  });

  test("in the name of a key", async () => {
    const other = makeTestTrail("a\u202eb");
    const note = file("note", other.checkpoint());
    const entries = file("entries", "");
    const { code, said } = await verify("--key", other.vkey, "--checkpoint", note, "--entries", entries);
    assert.equal(code, 0);
    assert.match(said, /note of a\\u\{202e\}b matches 0 entries\n/);
  });

  test("in a path", async () => {
    const path = file(`p${hostile}`, "x");
    const { code, said } = await verify(...key, "--proof", path, "--log", path);
    assert.equal(code, 1);
    assert.ok(said.includes(`p${shown} does not begin with`), said);
  });
});
