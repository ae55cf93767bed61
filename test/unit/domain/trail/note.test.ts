import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  formatSignerKey,
  formatVerifierKey,
  makeSignerKey,
  openNote,
  readSignerKey,
  readVerifierKey,
  signNote,
} from "../../../../src/domain/trail/note.ts";

/** The keys and notes with which golang.org/x/mod/sumdb/note tests itself (BSD-3-Clause). */
const peterSigner = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const peterVerifier = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const enochVerifier = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
const text =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const peterLine =
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
const enochLine =
  "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";

const verifierOf = (key: string) => readVerifierKey(key);
const refusal = { name: "TrailError" };

describe("keys of notes", () => {
  test("are read and written as by sumdb/note", () => {
    const signer = readSignerKey(peterSigner);
    assert.equal(formatSignerKey(signer), peterSigner);
    assert.equal(formatVerifierKey(signer), peterVerifier);
    assert.equal(formatVerifierKey(verifierOf(peterVerifier)), peterVerifier);
    const enoch = makeSignerKey("EnochRoot", new Uint8Array(32));
    assert.equal(formatVerifierKey(enoch), enochVerifier);
  });

  test("have names of any length", () => {
    const signer = makeSignerKey("n".repeat(200_000), new Uint8Array(32));
    assert.equal(verifierOf(formatVerifierKey(signer)).id, signer.id);
  });

  test("are refused when a part is missing or any character is another one", () => {
    for (const [key, read] of [
      [peterVerifier, verifierOf],
      [peterSigner, (key: string) => readSignerKey(key)],
    ] as const) {
      for (let from = 0; from <= key.length; from += 1) {
        for (let to = from; to <= key.length; to += 1) {
          if (to - from < key.length) assert.throws(() => read(key.slice(from, to)), refusal);
        }
        const next = String.fromCharCode(key.charCodeAt(from) + 1);
        if (from < key.length) {
          assert.throws(() => read(key.slice(0, from) + next + key.slice(from + 1)), refusal, String(from));
        }
      }
    }
    // With key IDs that fit: a key of another length, and one of another type.
    for (const key of [
      "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
      "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    ]) {
      assert.throws(() => verifierOf(key), refusal);
    }
  });

  test("have a name without white space of Unicode and plus signs, as in Go", () => {
    for (const name of ["", "a b", "a+b", "a\nb", "a\u00a0b", "a\u0085b", "a\u2028b", "a\u3000b", "\ud800"]) {
      assert.throws(() => makeSignerKey(name, new Uint8Array(32)), refusal, JSON.stringify(name));
    }
  });

  test("have a name without control characters, with which no note could be signed", () => {
    for (const name of ["a\u0000b", "\u0001", "a\u001f"])
      assert.throws(() => makeSignerKey(name, new Uint8Array(32)), refusal, JSON.stringify(name));
    // As this program wrote it when it took such names: the key ID fits.
    const hostile = "PRIVATE+KEY+a\u0001b+c0d3fefd+AQcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";
    assert.throws(() => readSignerKey(hostile), { message: "is not of the form NAME+KEYID+KEY" });
  });

  test("have any other name", () => {
    for (const name of ["example.com/log", "é", "a—b", "a\ufeffb", "a\u007fb", "a\u0080b", "a\u200bb"]) {
      const key = makeSignerKey(name, new Uint8Array(32));
      assert.deepEqual(readSignerKey(formatSignerKey(key)), key);
    }
  });
});

describe("notes", () => {
  test("are signed as by sumdb/note", () => {
    assert.equal(signNote(text, readSignerKey(peterSigner)), `${text}\n${peterLine}`);
  });

  test("are opened by the keys that are known, whatever others have signed", () => {
    const [peter, enoch] = [verifierOf(peterVerifier), verifierOf(enochVerifier)];
    const note = `${text}\n${peterLine}${enochLine}`;
    assert.deepEqual(openNote(note, [peter]), { text, signers: [peter] });
    assert.deepEqual(openNote(note, [peter, enoch]), { text, signers: [peter, enoch] });
    assert.deepEqual(openNote(`${text}\n${enochLine}${peterLine}${peterLine}`, [peter]), {
      text,
      signers: [peter],
    });
    assert.throws(() => openNote(note, []), refusal);
    assert.throws(() => openNote(`${text}\n${enochLine}`, [peter]), refusal);
  });

  /** The examples of the C2SP document signed-note. */
  test("of the C2SP document are opened by its key", () => {
    const key = verifierOf("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k");
    const note =
      "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
    assert.equal(openNote(note, [key]).text, "This is an example message.\n");
  });

  test("may have empty lines in their text", () => {
    const key = readSignerKey(peterSigner);
    for (const text of ["\n", "a\n\nb\n", "\n\n\n", `a\n\n${peterLine}`]) {
      assert.equal(openNote(signNote(text, key), [key]).text, text);
    }
    for (const text of ["", "a", "a\r\n", "\ud800\n"]) {
      assert.throws(() => signNote(text, key), refusal);
    }
  });

  test("are refused in any other form, and with any other text or signature", () => {
    const known = [verifierOf(peterVerifier)];
    const good = `${text}\n${peterLine}`;
    for (const note of [
      text,
      `${text}\n`,
      good.slice(0, -1),
      `\x01${good}`,
      `x${good}`,
      `${text}\n— Bad Name x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`,
      `${good}Unexpected line.\n`,
      // A second signature of the same key is verified too.
      `${good}${peterLine.replace("x08go/ZJ", "x08go/ZK")}`,
      `${good}\n`,
      `${text}\n${peterLine.repeat(101)}`,
      `${text}\n${peterLine.slice(0, 60)}ABCD${peterLine.slice(60)}`,
      `${text}\n${peterLine.replace("x08g", "xxxx")}`,
      `${text}\n${peterLine.replace("PeterNeumann", "CarmenSandiego")}`,
      good.replaceAll("\n", "\r\n"),
    ]) {
      assert.throws(() => openNote(note, known), refusal, note);
    }
    const bytes = Buffer.from(good);
    for (let at = 0; at < bytes.length; at += 1) {
      const tampered = Buffer.from(bytes);
      tampered[at] = (tampered[at] as number) ^ 1;
      assert.throws(() => openNote(tampered.toString(), known), refusal, String(at));
    }
  });
});
