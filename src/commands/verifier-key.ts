import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readVerifierKey, readWitnessKey, type VerifierKey } from "../domain/trail/note.ts";
import { usageError } from "./options.ts";

/** Whose signatures count: at least one key of the log, and all of these witnesses. */
export interface TrustedKeys {
  readonly keys: readonly VerifierKey[];
  readonly witnesses: readonly VerifierKey[];
}

/** The values of `--key` and `--witness`. */
export function readTrustedKeys(keys: readonly string[], witnesses: readonly string[]): TrustedKeys {
  if (keys.length === 0) throw usageError("--key is missing");
  return {
    keys: keys.map(text => readAs("--key", text, readVerifierKey)),
    witnesses: witnesses.map(text => readAs("--witness", text, readWitnessKey)),
  };
}

function readAs(option: string, text: string, read: typeof readVerifierKey): VerifierKey {
  try {
    return read(text, trailCrypto.sha256);
  } catch (error) {
    throw usageError(`${option} ${(error as Error).message}`);
  }
}
