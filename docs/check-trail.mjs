// node check-trail.mjs VKEY CHECKPOINT ENTRIES    an export against a checkpoint
// node check-trail.mjs VKEY PROOF LOG             a proof against a log
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const [vkey, first, second] = process.argv.slice(2);
const fail = why => {
  console.error(`WRONG: ${why}`);
  process.exit(1);
};
const objectOf = (bytes, text = String(bytes), object = JSON.parse(text)) => Buffer.from(text).equals(bytes) &&
  text.match(/"(\\.|[^"\\])*"\s*:/g)?.length === Object.keys(object).length ? object : fail("no UTF-8, or a name twice");

// RFC 6962, section 2.1: a leaf is hashed after a byte 0, two subtrees after a byte 1.
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const leafHash = entry => sha256(Buffer.of(0), entry);
const nodeHash = (left, right) => sha256(Buffer.of(1), left ?? fail("cut off"), right ?? fail("cut off"));

function rootOfAll(entries) {
  const subtrees = []; // perfect ones, each smaller than the one before it
  for (const entry of entries) {
    let last = { size: 1, hash: leafHash(entry) };
    while (subtrees.at(-1)?.size === last.size)
      last = { size: last.size * 2, hash: nodeHash(subtrees.pop().hash, last.hash) };
    subtrees.push(last);
  }
  if (subtrees.length === 0) return sha256();
  return subtrees.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right));
}

function rootOfProof(index, size, entry, siblings) {
  let hash = leafHash(entry);
  let last = size - 1; // index and last climb together; their parents have half their numbers
  for (; last > 0; index = Math.floor(index / 2), last = Math.floor(last / 2)) {
    if (index % 2 === 1) hash = nodeHash(siblings.shift(), hash);
    else if (index < last) hash = nodeHash(hash, siblings.shift());
  }
  return hash;
}

// C2SP signed-note and tlog-checkpoint.
function openCheckpoint(note) {
  const [, name, id, key] = /^(.+?)\+([0-9a-f]{8})\+(.+)$/.exec(vkey);
  const spki = `302a300506032b6570032100${Buffer.from(key, "base64").subarray(1).toString("hex")}`;
  const publicKey = createPublicKey({ key: Buffer.from(spki, "hex"), format: "der", type: "spki" });
  const end = note.lastIndexOf("\n\n") + 1;
  const text = note.slice(0, end);
  const isSigned = note.slice(end).split("\n").some(line => {
    const [dash, signer, encoded = ""] = line.split(" ");
    const signature = Buffer.from(encoded, "base64");
    if (dash !== "—" || signer !== name || signature.subarray(0, 4).toString("hex") !== id) return false;
    return verify(null, Buffer.from(text), publicKey, signature.subarray(4));
  });
  const [origin, size, root] = text.split("\n");
  if (!isSigned || origin !== name) fail("the checkpoint is not signed by this key");
  return { size: Number(size), root: Buffer.from(root, "base64") };
}

const text = readFileSync(first, "utf8");
if (text.startsWith("c2sp.org/tlog-proof@v1\n")) {
  const end = text.indexOf("\n\n");
  const [, extra, index, ...hashes] = text.slice(0, end).split("\n");
  const { size, root } = openCheckpoint(text.slice(end + 2));
  const bytes = Buffer.from(extra.slice("extra ".length), "base64");
  const siblings = hashes.map(hash => Buffer.from(hash, "base64"));
  const at = Number(index.slice("index ".length));
  const isHeld = at < size && rootOfProof(at, size, bytes, siblings).equals(root) && siblings.length === 0;
  if (!isHeld) fail("the proof does not hold");
  const [entry, log] = [objectOf(bytes), objectOf(readFileSync(second))];
  const shown = { kind: "log", recordedAt: entry.recordedAt, ...log }; // the API does not answer these two
  if (entry.performedByName === null) shown.performedByName = null; // not kept before the trail began
  for (const [field, value] of [...Object.entries(entry), ["kind", "log"]])
    if (value !== shown[field]) fail(`${field} was recorded as ${JSON.stringify(value)}`);
  console.log(`The log is as it was recorded at ${entry.recordedAt}.`);
} else {
  const { size, root } = openCheckpoint(text);
  const entries = readFileSync(second, "latin1").split("\n").slice(0, size).map(line => Buffer.from(line, "latin1"));
  if (!rootOfAll(entries).equals(root)) fail("the entries are not those that were signed");
  console.log(`The first ${size} entries are those that were signed.`);
}
