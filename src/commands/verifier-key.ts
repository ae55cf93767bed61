import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readVerifierKey, type VerifierKey } from "../domain/trail/note.ts";

/** The value of `--key`. Throws an Error for readOptions. */
export function readKey(text: string): VerifierKey {
  try {
    return readVerifierKey(text, trailCrypto.sha256);
  } catch (error) {
    throw new Error(`--key ${(error as Error).message}`);
  }
}
