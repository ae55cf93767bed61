import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readVerifierKey, readWitnessKey, type VerifierKey } from "../domain/trail/note.ts";
import { readGiven, usageError } from "./options.ts";

const { sha256 } = trailCrypto;

/** Whose signatures count: at least one key of the log, and all of these witnesses. */
export interface TrustedKeys {
  readonly keys: readonly VerifierKey[];
  readonly witnesses: readonly VerifierKey[];
}

/** The values of `--key` and `--witness`. */
export function readTrustedKeys(keys: readonly string[], witnesses: readonly string[]): TrustedKeys {
  if (keys.length === 0) throw usageError("--key is missing");
  return {
    keys: keys.map(text => readGiven("--key", () => readVerifierKey(text, sha256))),
    witnesses: witnesses.map(text => readGiven("--witness", () => readWitnessKey(text, sha256))),
  };
}
