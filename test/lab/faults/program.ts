import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { folder, own, untilExited } from "./processes.ts";

/** The project's folder, in which this is started: the compiled tree of a run has no commits. */
const root = process.cwd();

/** Path of the compiled program, which starts several times as fast as the source. A run of tests has compiled it. */
export function buildProgram(): string {
  const tree = process.env["TEST_TREE"];
  if (tree !== undefined) return join(tree, "src/main.js");
  const built = join(folder, "program");
  mkdirSync(built);
  for (const name of ["sql", "package.json"])
    cpSync(join(root, name), join(built, name), { recursive: true });
  return compile(root, built);
}

/** False where a shallow clone does not have it. */
export const hasCommit = (commit: string): boolean =>
  spawnSync("git", ["-C", root, "cat-file", "-e", `${commit}^{commit}`]).status === 0;

/** The compiled program of a commit, with the packages of today. */
export function buildCommit(commit: string): string {
  const built = join(folder, commit);
  mkdirSync(built);
  execFileSync("sh", ["-c", `git -C '${root}' archive ${commit} | tar x -C '${built}'`]);
  return compile(built, built);
}

/** Compiles the sources of a tree beside the other files of the program. Their types are checked elsewhere. */
function compile(tree: string, built: string): string {
  symlinkSync(join(root, "node_modules"), join(built, "node_modules"));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", join(tree, "tsconfig.build.json"), "--outDir", join(built, "dist"), "--noCheck"];
  execFileSync(process.execPath, [compiler, ...options], { stdio: ["ignore", "inherit", "inherit"] });
  return join(built, "dist/main.js");
}

export type Settings = Readonly<Record<string, string>>;

const start = (
  program: string,
  args: readonly string[],
  settings: Settings,
  stdout: number | "pipe" = "pipe",
) =>
  own(
    // With the options of deploy/maintenance-log.service.
    spawn(process.execPath, ["--preserve-symlinks", "--max-semi-space-size=16", program, ...args], {
      env: { PATH: process.env["PATH"], ...settings },
      stdio: ["pipe", stdout, "pipe"],
    }),
  );

/** Runs a command of the program to its end. */
export async function runCommand(
  program: string,
  args: readonly string[],
  settings: Settings,
): Promise<void> {
  const child = start(program, args, settings);
  child.stdin?.end();
  child.stdout?.resume();
  const told = tailOf(child);
  await untilExited(child);
  if (child.exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${child.exitCode}: ${told()}`);
}

/** The promised 10 s, and some time for a busy machine. */
const stopMilliseconds = 12_000;

export type ServiceProcess = Awaited<ReturnType<typeof startService>>;

/** Starts `serve`, with a descriptor as its standard output if one is given, and waits until it listens. */
export async function startService(program: string, port: number, settings: Settings, stdout?: number) {
  const child = start(program, ["serve"], { HOST: "127.0.0.1", PORT: String(port), ...settings }, stdout);
  const told = tailOf(child);
  let asked = false;
  await new Promise<void>((resolve, reject) => {
    if (child.stdout === null) void untilListening(port).then(resolve);
    else {
      createInterface({ input: child.stdout }).on("line", line => {
        if (line.includes('"listening"')) resolve();
      });
    }
    child.once("exit", code => reject(new Error(`serve ended with ${code}: ${told()}`)));
  });
  return {
    port,
    pid: child.pid ?? 0,
    /** What it writes to standard output, unless that is a descriptor. */
    output: child.stdout,
    /** SIGKILL. */
    async kill() {
      asked = true;
      child.kill("SIGKILL");
      await untilExited(child);
    },
    /** SIGTERM; throws when it does not end well and in time. */
    async stop() {
      if (!isRunning(child)) return;
      asked = true;
      child.kill("SIGTERM");
      const deadline = setTimeout(() => child.kill("SIGKILL"), stopMilliseconds);
      await untilExited(child);
      clearTimeout(deadline);
      const code = child.exitCode ?? `nothing within ${stopMilliseconds} ms`;
      if (code !== 0) throw new Error(`asked to stop, the service ended with ${code}: ${told()}`);
    },
    /** How it ended by itself, which it never should. */
    death: () =>
      asked || isRunning(child)
        ? undefined
        : `the service ended by itself (${child.exitCode ?? child.signalCode}): ${told()}`,
  };
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>(resolve => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** The end of what a child says on standard error. */
function tailOf(child: ChildProcess): () => string {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    tail = (tail + chunk).slice(-20_000);
  });
  return () => tail.trim();
}
