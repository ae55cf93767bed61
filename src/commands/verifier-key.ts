import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readVerifierKey, type VerifierKey } from "../domain/trail/note.ts";
import { CommandError, exitCodes } from "./command.ts";

/** The value of `--key`. */
export function readKey(text: string): VerifierKey {
  try {
    return readVerifierKey(text, trailCrypto.sha256);
  } catch (error) {
    throw new CommandError(exitCodes.usage, `--key ${(error as Error).message}`);
  }
}
