/** 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** Ed25519 (RFC 8032): a seed and a public key have 32 bytes each, a signature has 64. */
export interface Ed25519 {
  newSeed(): Uint8Array;
  publicKeyOf(seed: Uint8Array): Uint8Array;
  sign(seed: Uint8Array, message: Uint8Array): Uint8Array;
  /** False also for a public key that is no point of the curve. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

export interface TrailCrypto extends Ed25519 {
  readonly sha256: Sha256;
}
