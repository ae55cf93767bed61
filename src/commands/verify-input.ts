import { readFileSync } from "node:fs";
import { fromUtf8, TrailError } from "../domain/trail/encoding.ts";
import { CommandError, exitCodes } from "./command.ts";

/** Reads a file and what it says; each fault becomes a line that names the file. */
export function readInput<T>(path: string, read: (text: string) => T): T {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return read(fromUtf8(bytes));
  } catch (error) {
    if (error instanceof TrailError) throw new CommandError(exitCodes.failure, `${path} ${error.message}`);
    throw error;
  }
}

export const unreadable = (path: string, error: unknown): CommandError =>
  new CommandError(exitCodes.noInput, `${path} cannot be read: ${(error as Error).message}`);
