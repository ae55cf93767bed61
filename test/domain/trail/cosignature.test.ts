import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { trailCrypto } from "../../../src/adapters/trail-crypto.ts";
import { openCheckpoint } from "../../../src/domain/trail/checkpoint.ts";
import { readVerifierKey, readWitnessKey } from "../../../src/domain/trail/note.ts";
import { logEntry, makeTestTrail } from "../../support/trail.ts";
import { makeWitness } from "../../support/witness.ts";

describe("cosignatures of witnesses", () => {
  const trail = makeTestTrail();
  trail.add(logEntry(1), logEntry(2));
  const note = trail.checkpoint();
  const [one, other] = [makeWitness("witness.example.com/one"), makeWitness("witness.example.com/other")];
  const keys = [readVerifierKey(trail.vkey, trailCrypto.sha256)];
  const open = (text: string, ...witnesses: { readonly vkey: string }[]) =>
    openCheckpoint(
      text,
      keys,
      trailCrypto,
      witnesses.map(({ vkey }) => readWitnessKey(vkey, trailCrypto.sha256)),
    );
  const refused = (message: RegExp) => ({ name: "TrailError", message });

  test("are each wanted, in any order, with those of others between them", () => {
    const stranger = makeWitness("\ufeffstranger");
    const cosigned = note + stranger.cosign(note) + other.cosign(note) + one.cosign(note);
    assert.equal(open(cosigned).size, 2);
    assert.equal(open(cosigned, one).size, 2);
    assert.equal(open(cosigned, one, other).size, 2);
    assert.throws(() => open(note, one), refused(/^is not cosigned by witness\.example\.com\/one$/));
    assert.throws(() => open(note + one.cosign(note), one, other), refused(/^is not cosigned by .*other$/));
  });

  test("are of this very text and time, and of no other key of the same name", () => {
    const wrong = refused(/^has a wrong cosignature of witness\.example\.com\/one$/);
    assert.throws(() => open(note + one.cosign(trail.checkpoint(1)), one), wrong);
    const line = one.cosign(note);
    const [, , encoded = ""] = line.split(" ");
    for (const at of [4, 11, 12, 75]) {
      const bytes = Buffer.from(encoded, "base64");
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      assert.throws(() => open(`${note}\u2014 ${one.name} ${bytes.toString("base64")}\n`, one), wrong);
    }
    // A signature without a time, as a log makes it.
    const short = Buffer.from(encoded, "base64");
    const untimed = Buffer.concat([short.subarray(0, 4), short.subarray(12)]).toString("base64");
    assert.throws(() => open(`${note}\u2014 ${one.name} ${untimed}\n`, one), wrong);
    assert.throws(() => open(note + makeWitness(one.name).cosign(note), one), refused(/^is not cosigned by/));
    // A right one beside a wrong one of the same key is no cosignature.
    assert.throws(() => open(note + line + one.cosign(trail.checkpoint(1)), one), wrong);
  });

  test("never count as the log's own, nor does the key of a log as that of a witness", () => {
    assert.throws(
      () => readVerifierKey(one.vkey, trailCrypto.sha256),
      refused(/^is the key of a witness, not of a log$/),
    );
    assert.throws(
      () => readWitnessKey(trail.vkey, trailCrypto.sha256),
      refused(/^is the key of a log, not of a witness$/),
    );
    assert.throws(
      () => readWitnessKey(makeWitness("x", 2).vkey, trailCrypto.sha256),
      refused(/^is not an Ed25519 key$/),
    );
    const text = note.slice(0, note.indexOf("\n\n") + 2);
    const asLog = makeWitness("example.com/log");
    assert.throws(() => open(text + asLog.cosign(note)), refused(/^is not signed by this key$/));
  });
});
