import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readVerifierKey, type VerifierKey } from "../domain/trail/note.ts";
import { usageError } from "./options.ts";

/** The values of `--key`: at least one. */
export function readVerifierKeys(texts: readonly string[]): VerifierKey[] {
  if (texts.length === 0) throw usageError("--key is missing");
  return texts.map(text => {
    try {
      return readVerifierKey(text, trailCrypto.sha256);
    } catch (error) {
      throw usageError(`--key ${(error as Error).message}`);
    }
  });
}
