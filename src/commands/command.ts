import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { Environment } from "../config/read-settings.ts";

/** What the process hands to a command. */
export interface Surroundings {
  readonly environment: Environment;
  readonly processId: number;
  readonly args: readonly string[];
  readonly readFile: (path: string) => string;
  /** Of the program. */
  readonly version: string;
  /** The folder with the migrations. */
  readonly sqlFolder: string;
  readonly stdin: NodeJS.ReadStream;
  /** Holds what a command writes until it has been taken; `serve` writes its log by itself. */
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WriteStream;
  readonly print: (line: string) => void;
  /** Writes one of many faults to standard error as soon as it is found, like a line of CommandError. */
  readonly report: (line: string) => Promise<void>;
  /** Waits until the process is asked to stop. */
  readonly untilStopRequested: () => Promise<unknown>;
  /** Calls the listener each time the process is asked to read its files again. */
  readonly onReload: (listener: () => void) => void;
  /** Rejects with an exception or rejection that nobody handled: the process is in an unknown state and must end. */
  readonly untilFailure: () => Promise<never>;
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

/** Reads the options of a command. What `read` throws, too, says what is wrong with them. */
export function readOptions<Options extends ParseArgsOptionsConfig, T>(
  args: readonly string[],
  options: Options,
  read: (values: ReturnType<typeof parseArgs<{ options: Options }>>["values"]) => T,
): T {
  try {
    const { values, tokens } = parseArgs({ args: [...args], options, tokens: true });
    const given = new Set<string>();
    for (const token of tokens) {
      if (token.kind !== "option" || options[token.name]?.multiple) continue;
      if (given.has(token.name)) throw new Error(`--${token.name} is given twice`);
      given.add(token.name);
    }
    return read(values);
  } catch (error) {
    throw new CommandError(exitCodes.usage, (error as Error).message);
  }
}

/** For the commands that take none: a mistyped option must not run them. */
export function refuseArguments(args: readonly string[]): void {
  if (args.length > 0) throw new CommandError(exitCodes.usage, `unexpected argument: ${args.join(" ")}`);
}
