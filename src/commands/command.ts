import type { Environment } from "../config/read-settings.ts";

/** What a command gets of its process. */
export interface CommandContext {
  readonly environment: Environment;
  /** Of the program. */
  readonly version: () => string;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Writes to standard output, and waits until it has been taken. */
  readonly write: (text: string | Uint8Array) => Promise<void>;
  /** Writes a line to standard output; the program waits for it when the command has ended. */
  readonly print: (line: string) => void;
  /** Writes one of many faults to standard error as soon as it is found, like a line of CommandError. */
  readonly report: (line: string) => Promise<void>;
}

/** The command cannot go on, and the operator can mend it; says how, in one line for each fault. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly lines: readonly string[];

  constructor(exitCode: number, ...lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.lines = lines;
  }
}

/** Of sysexits.h, what systemd and scripts can tell apart. */
export const exitCodes = {
  failure: 1,
  usage: 64,
  badData: 65,
  noInput: 66,
  unavailable: 69,
  outputFailed: 74,
  settings: 78,
} as const;
