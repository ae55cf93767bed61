import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from "node:crypto";

/** What comes before the 32 bytes of an Ed25519 key in DER (RFC 8410): PKCS #8 for a seed, SPKI for a public key. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");
const spkiHead = Buffer.from("302a300506032b6570032100", "hex");

const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: "der", type: "pkcs8" });

/** In one call and by way of a string: three times as fast as a Hash object, twice as fast as a Buffer of its own. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const binary = hash("sha256", bytes, "binary");
  const hashed = new Uint8Array(32);
  for (let byte = 0; byte < 32; byte += 1) hashed[byte] = binary.charCodeAt(byte);
  return hashed;
}

/** Of Ed25519 (RFC 8032), as the next two: a seed and a public key have 32 bytes each, a signature has 64. */
export const publicKeyOf = (seed: Uint8Array): Uint8Array =>
  createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" }).subarray(spkiHead.length);

export const sign = (seed: Uint8Array, message: Uint8Array): Uint8Array =>
  signBytes(null, message, privateKeyOf(seed));

/** False also for a public key that is no point of the curve. */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([spkiHead, publicKey]), format: "der", type: "spki" });
  return verifyBytes(null, message, key, signature);
}
