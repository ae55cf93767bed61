import { publicKeyOf, sha256, sign, verify } from "./crypto.ts";
import { fromBase64, TrailError, toBase64, toUtf8 } from "./encoding.ts";

/** A public key by which notes are verified (C2SP signed-note). */
export interface VerifierKey {
  readonly name: string;
  /** 8 hexadecimal digits. */
  readonly id: string;
  readonly publicKey: Uint8Array;
}

/** A private key that signs notes. */
export interface SignerKey extends VerifierKey {
  readonly seed: Uint8Array;
}

/** Types of signatures: of a log, and the timestamped one of a witness (C2SP tlog-cosignature). */
const ed25519Type = 1;
const cosignatureType = 4;

/** More than any log and its witnesses make. */
const signaturesAtMost = 100;

/** As golang.org/x/mod/sumdb/note: JavaScript's \s has U+FEFF too, which is no white space of Unicode. */
const nameFormat = /^[^\p{White_Space}+]+$/u;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const typed = (key: Uint8Array, type = ed25519Type): Uint8Array => Uint8Array.from([type, ...key]);

/** The first four bytes of SHA-256(name || LF || type || public key). */
const keyIdOf = (name: string, publicKey: Uint8Array, type = ed25519Type): string =>
  hex(sha256(Uint8Array.from([...toUtf8(`${name}\n`), ...typed(publicKey, type)])).subarray(0, 4));

/** The key of a name and a seed. Throws TrailError for a name that cannot be a key's. */
export function makeSignerKey(name: string, seed: Uint8Array): SignerKey {
  if (!isKeyName(name))
    throw new TrailError("has a name that is empty, or has a space, a plus sign or a control character");
  const publicKey = publicKeyOf(seed);
  return { name, id: keyIdOf(name, publicKey), publicKey, seed };
}

/** A name is part of the text of each checkpoint. */
const isKeyName = (name: string): boolean => nameFormat.test(name) && isNoteText(name);

export const formatSignerKey = ({ name, id, seed }: SignerKey): string =>
  `PRIVATE+KEY+${name}+${id}+${toBase64(typed(seed))}`;

export const formatVerifierKey = ({ name, id, publicKey }: VerifierKey): string =>
  `${name}+${id}+${toBase64(typed(publicKey))}`;

/** Throws TrailError. Its message never has a part of the key. */
export function readSignerKey(text: string): SignerKey {
  const prefix = "PRIVATE+KEY+";
  if (!text.startsWith(prefix)) throw new TrailError("is not a signer key");
  const { name, id, key } = readKey(text.slice(prefix.length), ed25519Type);
  const signer = makeSignerKey(name, key);
  if (signer.id !== id) throw new TrailError("has a key ID that is not the key's");
  return signer;
}

/** The key of a log. Throws TrailError. */
export const readVerifierKey = (text: string): VerifierKey => readPublicKey(text, ed25519Type);

/** The key of a witness, which never counts as that of a log. Throws TrailError. */
export const readWitnessKey = (text: string): VerifierKey => readPublicKey(text, cosignatureType);

function readPublicKey(text: string, type: number): VerifierKey {
  const { name, id, key } = readKey(text, type);
  if (keyIdOf(name, key, type) !== id) throw new TrailError("has a key ID that is not the key's");
  return { name, id, publicKey: key };
}

/** `<name>+<key ID>+<base64>`; the base64 may have plus signs of its own. */
function readKey(text: string, expected: number): { name: string; id: string; key: Uint8Array } {
  const [, name = "", id = "", encoded = ""] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text) ?? [];
  if (!isKeyName(name)) throw new TrailError("is not of the form NAME+KEYID+KEY");
  if (!/^[\da-f]{8}$/.test(id))
    throw new TrailError("has a key ID that is not 8 digits of 0 to 9 and a to f");
  const [type, ...key] = fromBase64(encoded);
  if (expected === ed25519Type && type === cosignatureType)
    throw new TrailError("is the key of a witness, not of a log");
  if (expected === cosignatureType && type === ed25519Type)
    throw new TrailError("is the key of a log, not of a witness");
  if (type !== expected || key.length !== 32) throw new TrailError("is not an Ed25519 key");
  return { name, id, key: Uint8Array.from(key) };
}

/** @param text lines, each with its end, without control characters */
export function signNote(text: string, key: SignerKey): string {
  if (!isNoteText(text) || !text.endsWith("\n")) throw new TrailError("is not the text of a note");
  const signature = sign(key.seed, toUtf8(text));
  const signed = Buffer.concat([Buffer.from(key.id, "hex"), signature]);
  return `${text}\n— ${key.name} ${toBase64(signed)}\n`;
}

const isNoteText = (text: string): boolean =>
  text.isWellFormed() && !Array.from(text).some(character => character < " " && character !== "\n");

type SignatureLine = ReturnType<typeof readSignatureLine>;

/** The text of a note and the lines of its signatures, none of them verified. Throws TrailError where it is no note. */
function splitNote(note: string): { readonly text: string; readonly lines: readonly SignatureLine[] } {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n") || !isNoteText(note)) throw new TrailError("is not a signed note");
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > signaturesAtMost) throw new TrailError("has too many signatures");
  return { text: note.slice(0, end + 1), lines: lines.map(readSignatureLine) };
}

function readSignatureLine(line: string) {
  const [, name = "", encoded = ""] = /^— ([^ ]+) ([^ ]+)$/u.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  if (!isKeyName(name) || bytes.length < 5) throw new TrailError("has a malformed signature line");
  return { name, id: hex(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

const isOf =
  ({ name, id }: SignatureLine) =>
  (key: VerifierKey): boolean =>
    key.name === name && key.id === id;

/**
 * Reads a note and verifies the signatures of the known keys; those of others are passed over.
 *
 * @returns its text and, of the known keys, those that have signed: at least one
 * @throws TrailError when it is no note, when a known key's signature is wrong, and when no known key has signed
 */
export function openNote(note: string, known: readonly VerifierKey[]) {
  const { text, lines } = splitNote(note);
  const signers: VerifierKey[] = [];
  for (const line of lines) {
    const key = known.find(isOf(line));
    if (key === undefined) continue;
    if (!verify(key.publicKey, toUtf8(text), line.signature))
      throw new TrailError(`has a wrong signature of ${key.name}`);
    if (!signers.includes(key)) signers.push(key);
  }
  if (signers.length === 0) throw new TrailError("is not signed by this key");
  return { text, signers };
}

/** The lines of a note of which the first is its origin, the name of a known key that has signed it. Throws TrailError. */
export function openLines(note: string, known: readonly VerifierKey[]): readonly string[] {
  const { text, signers } = openNote(note, known);
  const lines = text.slice(0, -1).split("\n");
  if (!signers.some(({ name }) => name === lines[0]))
    throw new TrailError(`is of ${lines[0]}, which is not the name of the key`);
  return lines;
}

/**
 * Throws TrailError unless every witness has cosigned the note (C2SP tlog-cosignature, cosignature/v1): a time in seconds, and
 * an Ed25519 signature of it and the text.
 */
export function requireCosignatures(note: string, witnesses: readonly VerifierKey[]): void {
  const { text, lines } = splitNote(note);
  for (const witness of witnesses) {
    const cosignatures = lines.filter(line => isOf(line)(witness));
    if (cosignatures.length === 0) throw new TrailError(`is not cosigned by ${witness.name}`);
    for (const { signature } of cosignatures) {
      const time = signature.length === 72 ? Buffer.from(signature).readBigInt64BE() : -1n;
      const signed = toUtf8(`cosignature/v1\ntime ${time}\n${text}`);
      // The tools of Go refuse a time above 2^63 - 1 too.
      if (time < 0n || !verify(witness.publicKey, signed, signature.subarray(8)))
        throw new TrailError(`has a wrong cosignature of ${witness.name}`);
    }
  }
}
