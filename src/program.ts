import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CommandError, exitCodes, type Surroundings } from "./commands/command.ts";
import { openStandardOutput, refuseClosedOutput, writeWhole } from "./commands/output.ts";
import { type Environment, SettingsError } from "./config/read-settings.ts";
import { DomainError, isUnavailable } from "./domain/error.ts";

const readFile = (path: string): string => readFileSync(path, "utf8");
const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Each command loads what it needs: `verify` and its like run without settings, and without any package. */
const commands: Readonly<Record<string, (surroundings: Surroundings) => Promise<void>>> = {
  serve: async given => (await import("./commands/serve.ts")).runServe(given),
  migrate: async given => (await import("./commands/migrate.ts")).runMigrate(given),
  "create-admin": async given => (await import("./commands/create-admin.ts")).runCreateAdmin(given),
  "set-password": async given => (await import("./commands/set-password.ts")).runSetPassword(given),
  check: async given => (await import("./commands/check.ts")).runCheck(given),
  "export-logs": async given => (await import("./commands/export-logs.ts")).runExportLogs(given),
  openapi: async given => (await import("./commands/openapi.ts")).runOpenApi(given),
  "trail-key": async given => (await import("./commands/trail-key.ts")).runTrailKey(given),
  verify: async given => (await import("./commands/verify.ts")).runVerify(given),
  "export-trail": async given => (await import("./commands/export-trail.ts")).runExportTrail(given),
  "accept-trail": async given => (await import("./commands/accept-trail.ts")).runAcceptTrail(given),
  audit: async given => (await import("./commands/audit.ts")).runAudit(given),
  "--help": async ({ print }) => print(await help()),
  "--version": async ({ print, version }) => print(version),
};

/** Those that are run for their output. */
const exports = ["openapi", "export-logs", "export-trail", "trail-key"];

const help = async (command = ""): Promise<string> => (await import("./commands/help.ts")).helpOf(command);

/** Runs a command to its end and returns the exit code. */
export async function runProgram(
  [name = "", ...args]: readonly string[],
  environment: Environment,
): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    console.error(await help());
    return exitCodes.usage;
  }
  const isHelp = args.includes("--help");
  const { stream: stdout, print, ...output } = openStandardOutput(process.stdout);
  // The log of serve can be cut: its reader must not decide whether the service ends, and how.
  const finish = name === "serve" && !isHelp ? async () => {} : output.finish;
  const surroundings: Surroundings = {
    environment,
    processId: process.pid,
    args,
    readFile,
    get version() {
      return (JSON.parse(readFile(pathOf("../package.json"))) as { version: string }).version;
    },
    sqlFolder: pathOf("../sql"),
    stdin: process.stdin,
    stdout,
    stderr: process.stderr,
    print,
    report: line => writeWhole(process.stderr, `${name}: ${line}\n`),
    untilStopRequested,
    untilFailure,
    onReload: listener => void process.on("SIGHUP", listener),
  };
  try {
    if (exports.includes(name)) refuseClosedOutput(process.stdout);
    if (isHelp) print(await help(name));
    else await command(surroundings);
    await finish();
    return 0;
  } catch (error) {
    const { exitCode, lines } = explain(error);
    await finish().catch(() => {});
    for (const line of lines) console.error(`${name}: ${line}`);
    return exitCode;
  }
}

const untilStopRequested = (): Promise<unknown> =>
  new Promise(resolve => {
    // Once each: a second signal has its default effect and ends the process at once.
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, resolve);
  });

/** Once: a second failure, while the process drains, ends it at once. */
const untilFailure = (): Promise<never> =>
  new Promise((_, reject) => {
    process.once("uncaughtException", reject);
  });

/** One line for each fault. A stack would not help an operator. */
function explain(error: unknown): { exitCode: number; lines: readonly string[] } {
  if (error instanceof SettingsError) return { exitCode: exitCodes.settings, lines: error.faults };
  if (error instanceof CommandError) return { exitCode: error.exitCode, lines: error.lines };
  // By name: the class itself would load the database's adapter for every command.
  if (error instanceof Error && error.name === "UnfitError") {
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
