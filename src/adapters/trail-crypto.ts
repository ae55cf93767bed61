import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import type { Sha256, TrailCrypto } from "../domain/trail/crypto.ts";
import { makeTreeHasher } from "../domain/trail/merkle.ts";

/** What comes before the 32 bytes of an Ed25519 key in DER (RFC 8410): PKCS #8 for a seed, SPKI for a public key. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");
const spkiHead = Buffer.from("302a300506032b6570032100", "hex");

const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: "der", type: "pkcs8" });

const publicKeyOf = (publicKey: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([spkiHead, publicKey]), format: "der", type: "spki" });

/** In one call and by way of a string: three times as fast as a Hash object, twice as fast as a Buffer of its own. */
const sha256: Sha256 = bytes => {
  const binary = hash("sha256", bytes, "binary");
  const hashed = new Uint8Array(32);
  for (let byte = 0; byte < 32; byte += 1) hashed[byte] = binary.charCodeAt(byte);
  return hashed;
};

export const trailCrypto: TrailCrypto = {
  sha256,
  newSeed: () => randomBytes(32),
  publicKeyOf: seed =>
    createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" }).subarray(spkiHead.length),
  sign: (seed, message) => sign(null, message, privateKeyOf(seed)),
  verify: (publicKey, message, signature) => verify(null, message, publicKeyOf(publicKey), signature),
};

export const treeHasher = makeTreeHasher(sha256);
