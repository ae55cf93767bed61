import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** As in the unit: without it Node 24 lets its memory grow to twice as much for no more requests. */
const memoryOption = "--max-semi-space-size=16";

const options = [memoryOption, "--import", "tsx", "--import", "./dev/run/end-with-parent.ts"];

/** Not in the terminal's process group: Ctrl-C is for `make run`, which then tells the program once. */
export function startProgram(args: readonly string[], environment: NodeJS.ProcessEnv, stop: AbortSignal) {
  const program = spawn(process.execPath, [...options, "src/main.ts", ...args], {
    env: environment,
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  const end = () => program.kill("SIGTERM");
  stop.addEventListener("abort", end);
  if (stop.aborted) end();
  return program;
}

/** Runs a command of the program to its end. */
export async function runProgram(args: readonly string[], environment: NodeJS.ProcessEnv, stop: AbortSignal) {
  const program = startProgram(args, environment, stop);
  const [stdout, [code]] = await Promise.all([
    text(program.stdout),
    once(program, "close") as Promise<[number | null]>,
  ]);
  return { stdout, code: code ?? 1 };
}
