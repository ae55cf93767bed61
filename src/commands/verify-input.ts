import { closeSync, openSync, readSync } from "node:fs";
import { fromUtf8, TrailError } from "../domain/trail/encoding.ts";
import { CommandError, exitCodes } from "./command.ts";

/** A checkpoint has some hundred bytes; a log and its proof have six for each byte of the longest entry, at most. */
const longestInput = 1_000_000;

/** Reads a file and what it says; each fault becomes a line that names the file. */
export function readInput<T>(path: string, read: (text: string) => T): T {
  let bytes: Uint8Array;
  try {
    bytes = readAtMost(path, longestInput + 1);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    if (bytes.length > longestInput) throw new TrailError(`is longer than ${longestInput} bytes`);
    return read(fromUtf8(bytes));
  } catch (error) {
    if (error instanceof TrailError) throw new CommandError(exitCodes.failure, `${path} ${error.message}`);
    throw error;
  }
}

/** The beginning of a file, or of a pipe, which has no length. */
function readAtMost(path: string, most: number): Uint8Array {
  const file = openSync(path, "r");
  try {
    const bytes = new Uint8Array(most);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, most - length, null);
      length += read;
      if (read === 0 || length === most) return bytes.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

export const unreadable = (path: string, error: unknown): CommandError =>
  new CommandError(exitCodes.noInput, `${path} cannot be read: ${(error as Error).message}`);
