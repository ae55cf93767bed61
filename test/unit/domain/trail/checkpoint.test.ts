import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCheckpoint, signCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { makeSignerKey, signNote } from "../../../../src/domain/trail/note.ts";

const key = makeSignerKey("example.com/log", new Uint8Array(32).fill(7));
const root = Buffer.from("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "base64");
const open = (note: string) => openCheckpoint(note, [key]);
const openText = (text: string) => open(signNote(text, key));

describe("checkpoints", () => {
  test("are notes of three lines: origin, size, root hash", () => {
    const note = signCheckpoint({ size: 20_852_163, root }, key);
    const [text = ""] = note.split("\n\n");
    assert.equal(text, "example.com/log\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=");
    const { origin, size, root: opened } = open(note);
    assert.deepEqual([origin, size, Buffer.from(opened)], ["example.com/log", 20_852_163, root]);
  });

  test("may have extension lines", () => {
    assert.equal(openText(`example.com/log\n0\n${root.toString("base64")}\nmore\nand more\n`).size, 0);
  });

  test("are refused in any other form", () => {
    const hash = root.toString("base64");
    for (const text of [
      "example.com/log\n",
      "example.com/log\n5\n",
      `\n5\n${hash}\n`,
      `other.example\n5\n${hash}\n`,
      `example.com/log\n05\n${hash}\n`,
      `example.com/log\n-1\n${hash}\n`,
      `example.com/log\n5.0\n${hash}\n`,
      `example.com/log\n9007199254740993\n${hash}\n`,
      `example.com/log\n99999999999999999999\n${hash}\n`,
      `example.com/log\n5\n${hash.slice(0, -4)}\n`,
      `example.com/log\n5\n${hash.replace("2I=", "2J=")}\n`,
      `example.com/log\n5\n ${hash}\n`,
      `example.com/log\n5\n${hash}\n\nmore\n`,
    ]) {
      assert.throws(() => openText(text), { name: "TrailError" }, text);
    }
  });

  test("are refused when another key than the origin's has signed", () => {
    const other = makeSignerKey("other.example", new Uint8Array(32));
    const note = signNote(`example.com/log\n5\n${root.toString("base64")}\n`, other);
    assert.throws(() => openCheckpoint(note, [key, other]), /is of example\.com\/log/);
  });
});
