import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCheckpoint } from "../../../../src/domain/trail/checkpoint.ts";
import { readVerifierKey, readWitnessKey } from "../../../../src/domain/trail/note.ts";
import { logEntry, makeTestTrail } from "../../../support/trail.ts";
import { makeWitness } from "../../../support/witness.ts";

describe("cosignatures of witnesses", () => {
  const trail = makeTestTrail();
  trail.add(logEntry(1), logEntry(2));
  const note = trail.checkpoint();
  const [one, other] = [makeWitness("witness.example.com/one"), makeWitness("witness.example.com/other")];
  const keys = [readVerifierKey(trail.vkey)];
  const open = (text: string, ...witnesses: { readonly vkey: string }[]) =>
    openCheckpoint(
      text,
      keys,
      witnesses.map(({ vkey }) => readWitnessKey(vkey)),
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
    assert.equal(open(note + one.cosign(note, 2n ** 63n - 1n), one).size, 2);
    for (const time of [2n ** 63n, 2n ** 64n - 1n])
      assert.throws(() => open(note + one.cosign(note, time), one), wrong);
    // A right one beside a wrong one of the same key is no cosignature.
    assert.throws(() => open(note + line + one.cosign(trail.checkpoint(1)), one), wrong);
  });

  test("never count as the log's own, nor does the key of a log as that of a witness", () => {
    assert.throws(() => readVerifierKey(one.vkey), refused(/^is the key of a witness, not of a log$/));
    assert.throws(() => readWitnessKey(trail.vkey), refused(/^is the key of a log, not of a witness$/));
    assert.throws(() => readWitnessKey(makeWitness("x", 2).vkey), refused(/^is not an Ed25519 key$/));
    const text = note.slice(0, note.indexOf("\n\n") + 2);
    const asLog = makeWitness("example.com/log");
    assert.throws(() => open(text + asLog.cosign(note)), refused(/^is not signed by this key$/));
  });

  /** A checkpoint of a public log with the cosignatures of four public witnesses, and its keys as they are published. */
  test("are those that public witnesses make", () => {
    const name = "arche2025h1.staging.ct.transparency.dev";
    const published = `${name}
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

\u2014 ${name} zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
\u2014 ${name} ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
\u2014 transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
\u2014 witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
\u2014 remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
\u2014 witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
`;
    const log = readVerifierKey(`${name}+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f`);
    const witnesses = [
      "transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM",
      "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO",
      "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
      "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv",
    ].map(vkey => readWitnessKey(vkey));
    assert.equal(openCheckpoint(published, [log], witnesses).size, 1_432_088_532);
    const changed = published.replace("IqqhbUo", "IqqhbUp");
    assert.throws(
      () => openCheckpoint(changed, [log], witnesses),
      refused(/^has a wrong cosignature of transparency\.dev/),
    );
  });
});
