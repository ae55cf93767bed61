import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openAcceptance, signAcceptance } from "../../../../src/domain/trail/acceptance.ts";
import { openCheckpoint, signCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { emptyRoot } from "../../../../src/domain/trail/merkle.ts";
import { makeSignerKey, signNote } from "../../../../src/domain/trail/note.ts";

const key = makeSignerKey("example.com/log", new Uint8Array(32).fill(7));
const other = makeSignerKey("example.com/log", new Uint8Array(32).fill(8));
const root = Buffer.from("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "base64");
const acceptance = {
  refused: { size: 7, root },
  accepted: { size: 5, root: emptyRoot },
  reason: "a restore",
};
const text =
  "example.com/log\ntrail acceptance\n7 CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n5 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\na restore\n";

describe("acceptances", () => {
  test("are notes of five lines: origin, what no checkpoint has, the head given up, the one gone on with, the reason", () => {
    const note = signAcceptance(acceptance, key);
    assert.equal(note, signNote(text, key));
    const { refused, accepted, reason } = openAcceptance(note, [other, key]);
    assert.deepEqual(
      [refused?.size, Buffer.from(refused?.root ?? []), accepted.size, Buffer.from(accepted.root), reason],
      [7, root, 5, Buffer.from(emptyRoot), "a restore"],
    );
  });

  test("may give up nothing that is known", () => {
    const note = signAcceptance({ ...acceptance, refused: undefined }, key);
    assert.match(note, /\nnone\n/);
    assert.equal(openAcceptance(note, [key]).refused, undefined);
  });

  test("count only with the key's own signature and name, and are no checkpoints, nor the other way round", () => {
    const note = signAcceptance(acceptance, key);
    for (const bad of [
      signAcceptance(acceptance, other),
      note.replace("\n7 ", "\n8 "),
      signNote(text.replace("example.com/log", "example.com"), key),
      signNote(text.replace("trail acceptance\n", ""), key),
      signNote(text.replace(/5 .*\n/, "five\n"), key),
      signNote("example.com/log\ntrail acceptance\n", key),
      signCheckpoint(acceptance.accepted, key),
    ])
      assert.throws(() => openAcceptance(bad, [key]), { name: "TrailError" });
    assert.throws(() => openCheckpoint(note, [key]), { name: "TrailError" });
  });

  test("have a reason of one line", () => {
    assert.throws(() => signAcceptance({ ...acceptance, reason: "a\tb" }, key), { name: "TrailError" });
  });
});
