import { createReadStream } from "node:fs";
import { type Checkpoint, openCheckpoint } from "../domain/trail/checkpoint.ts";
import { faultOrRethrow, fromUtf8, TrailError } from "../domain/trail/encoding.ts";
import { readVerifierKey, readWitnessKey, type VerifierKey } from "../domain/trail/note.ts";
import { CommandError, exitCodes } from "./command.ts";
import { readGiven, usageError } from "./options.ts";

/** Whose signatures count: at least one key of the log, and all of these witnesses. */
export interface TrustedKeys {
  readonly keys: readonly VerifierKey[];
  readonly witnesses: readonly VerifierKey[];
}

/** The values of `--key` and `--witness`. */
export function readTrustedKeys(keys: readonly string[], witnesses: readonly string[]): TrustedKeys {
  if (keys.length === 0) throw usageError("--key is missing");
  return {
    keys: keys.map(text => readGiven("--key", () => readVerifierKey(text))),
    witnesses: witnesses.map(text => readGiven("--witness", () => readWitnessKey(text))),
  };
}

/** In bytes. The longest entry has 65,535, of which each takes at most six in JSON; a checkpoint has some hundred. */
const longestInput = 1_000_000;

/** Reads a file or a pipe and what it says; each fault becomes a line that names the file. */
export async function readInput<T>(path: string, read: (text: string) => T): Promise<T> {
  const parts: Uint8Array[] = [];
  for await (const part of partsOf(path, longestInput)) parts.push(part);
  const bytes = Buffer.concat(parts);
  try {
    if (bytes.length > longestInput) throw new TrailError(`is longer than ${longestInput} bytes`);
    return read(fromUtf8(bytes));
  } catch (error) {
    throw new CommandError(exitCodes.failure, `${path} ${faultOrRethrow(error)}`);
  }
}

type KeptCheckpoint = Checkpoint & { readonly path: string };

export async function readCheckpoints(
  paths: readonly string[],
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[] = [],
): Promise<readonly KeptCheckpoint[]> {
  const checkpoints: KeptCheckpoint[] = [];
  for (const path of paths) {
    const open = (note: string) => openCheckpoint(note, keys, witnesses);
    checkpoints.push({ path, ...(await readInput(path, open)) });
  }
  return checkpoints;
}

/** The bytes of a file, the one at `end` included. Throws CommandError. */
export async function* partsOf(path: string, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 18, end }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new CommandError(exitCodes.noInput, `${path} cannot be read: ${(error as Error).message}`);
  }
}
