import { readFileSync } from "node:fs";
import { unsuitabilityOf } from "./application/unsuitable-database.ts";
import { type CommandContext, CommandError, exitCodes } from "./commands/command.ts";
import { commands } from "./commands/commands.ts";
import { readOptions } from "./commands/options.ts";
import { Output } from "./commands/output.ts";
import { type Environment, SettingsError } from "./config/read-settings.ts";
import { causeOf, DomainError, isUnavailable } from "./domain/error.ts";

const packageFile = new URL("../package.json", import.meta.url);
const version = () => (JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }).version;

/** Runs a command to its end and returns the exit code. */
export async function runProgram(
  [name = "", ...args]: readonly string[],
  environment: Environment,
): Promise<number> {
  const output = new Output(process.stdout);
  const errors = new Output(process.stderr);
  // The installed script that starts the program gives its own name.
  const { PROGRAM_NAME: program } = environment;
  const help = async () => `${await (await import("./commands/help.ts")).helpOf(name, program)}\n`;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const isHelp = args.includes("--help");
  const context: CommandContext = {
    environment,
    version,
    stdin: process.stdin,
    stderr: process.stderr,
    write: output.write,
    print: output.print,
    report: line => errors.print(`${name}: ${line}`),
  };
  try {
    if (name === "--version") await output.write(`${version()}\n`);
    else if (name === "--help" || (command !== undefined && isHelp)) await output.write(await help());
    else if (command === undefined) {
      if (name !== "") await errors.print(`${name} is not a command`);
      await errors.write(await help());
      return exitCodes.usage;
    } else {
      // Wrong arguments are refused before anything is loaded.
      const { values, positionals } = readOptions(args, command);
      await command.run(context, values, positionals);
      // The log of serve can be cut: its reader must not decide whether the service ends, and how.
      if (name !== "serve") await output.finish();
    }
    return 0;
  } catch (error) {
    const { exitCode, lines } = explain(error);
    if (name !== "serve") await output.finish().catch(() => {});
    for (const line of lines) await context.report(line).catch(() => {});
    return exitCode;
  }
}

/** One line for each fault. A stack would not help an operator. */
function explain(error: unknown): { exitCode: number; lines: readonly string[] } {
  if (error instanceof SettingsError) return { exitCode: exitCodes.settings, lines: error.faults };
  if (error instanceof CommandError) return { exitCode: error.exitCode, lines: error.lines };
  const unsuitable = unsuitabilityOf(error);
  if (unsuitable !== undefined) return { exitCode: exitCodes.failure, lines: [unsuitable.message] };
  if (isUnavailable(error))
    return { exitCode: exitCodes.unavailable, lines: [`${error.message}: ${causeOf(error)}`] };
  if (error instanceof DomainError) return { exitCode: exitCodes.badData, lines: [error.message] };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { exitCode: exitCodes.failure, lines: [`unexpected ${name}: ${message}`] };
}
