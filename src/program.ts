import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DurabilityError } from "./adapters/postgres/schema/durability.ts";
import { SchemaError } from "./adapters/postgres/schema/migrations.ts";
import { runCheck } from "./commands/check.ts";
import { CommandError, exitCodes, type Surroundings } from "./commands/command.ts";
import { runCreateAdmin } from "./commands/create-admin.ts";
import { runExportLogs } from "./commands/export-logs.ts";
import { helpOf, usage } from "./commands/help.ts";
import { runMigrate } from "./commands/migrate.ts";
import { runOpenApi } from "./commands/openapi.ts";
import { runServe } from "./commands/serve.ts";
import { runSetPassword } from "./commands/set-password.ts";
import { type Environment, SettingsError } from "./config/read-settings.ts";
import { DomainError, isUnavailable } from "./domain/error.ts";

const readFile = (path: string): string => readFileSync(path, "utf8");
const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const commands: Readonly<Record<string, (surroundings: Surroundings) => Promise<void>>> = {
  serve: runServe,
  migrate: runMigrate,
  "create-admin": runCreateAdmin,
  "set-password": runSetPassword,
  check: runCheck,
  "export-logs": runExportLogs,
  openapi: runOpenApi,
  "--help": async ({ print }) => print(usage),
  "--version": async ({ print, version }) => print(version),
};

/** Runs a command to its end and returns the exit code. */
export async function runProgram(
  [name = "", ...args]: readonly string[],
  environment: Environment,
): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    console.error(usage);
    return exitCodes.usage;
  }
  if (args.includes("--help")) {
    console.log(helpOf(name));
    return 0;
  }
  try {
    await command({
      environment,
      processId: process.pid,
      args,
      readFile,
      version: (JSON.parse(readFile(pathOf("../package.json"))) as { version: string }).version,
      sqlFolder: pathOf("../sql"),
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      print: line => console.log(line),
      untilStopRequested,
      untilFailure,
    });
    return 0;
  } catch (error) {
    const { exitCode, lines } = explain(error);
    for (const line of lines) console.error(`${name}: ${line}`);
    return exitCode;
  }
}

const untilStopRequested = (): Promise<unknown> =>
  new Promise(resolve => {
    // Once each: a second signal ends the process at once, as if nobody listened.
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, resolve);
  });

/** Once: a second failure, while the process drains, ends it at once. */
const untilFailure = (): Promise<never> =>
  new Promise((_, reject) => {
    process.once("uncaughtException", reject);
  });

/** One line for each fault; stacks help nobody who runs the program. */
function explain(error: unknown): { exitCode: number; lines: readonly string[] } {
  if (error instanceof SettingsError) return { exitCode: exitCodes.settings, lines: error.faults };
  if (error instanceof CommandError) return { exitCode: error.exitCode, lines: error.lines };
  if (error instanceof SchemaError || error instanceof DurabilityError) {
    return { exitCode: exitCodes.failure, lines: [error.message] };
  }
  if (isUnavailable(error)) {
    return {
      exitCode: exitCodes.unavailable,
      lines: [`${error.message}: ${(error.cause as Error).message}`],
    };
  }
  if (error instanceof DomainError) return { exitCode: exitCodes.badData, lines: [error.message] };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { exitCode: exitCodes.failure, lines: [`unexpected ${name}: ${message}`] };
}
