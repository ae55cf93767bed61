import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type Call, makeClient, makePlainClient } from "./client.ts";
import { script } from "./compiled.ts";
import { closeAtEnd } from "./left-open.ts";
import { inTime } from "./until.ts";

export type Settings = Readonly<Record<string, string>>;

/** The program as its user runs it, with nothing of this process's environment but the path. */
export function startProgram(args: readonly string[], settings: Settings) {
  const env = { PATH: process.env["PATH"], ...settings };
  const program = spawn(process.execPath, [...script("src/main.ts"), ...args], {
    env,
    stdio: "pipe",
  });
  program.once(
    "exit",
    closeAtEnd(() => program.kill("SIGKILL")),
  );
  return program;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function runProgram(
  args: readonly string[],
  settings: Settings = {},
  stdin: string | Uint8Array = "",
): Promise<Outcome> {
  const program = startProgram(args, settings);
  program.stdin.on("error", () => {}).end(stdin);
  const [stdout, stderr, [code]] = await inTime(
    `the end of ${args[0]}`,
    Promise.all([
      text(program.stdout),
      text(program.stderr),
      once(program, "exit") as Promise<[number | null]>,
    ]),
  );
  return { code, stdout, stderr };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts `serve` on a free port and waits until it listens. */
export async function startService(settings: Settings) {
  const program = startProgram(["serve"], { HOST: "127.0.0.1", PORT: "0", ...settings });
  const lines: string[] = [];
  const stderr = text(program.stderr);
  const exited = once(program, "close").then(async ([code]) => ({
    code: code as number | null,
    stdout: lines.join("\n"),
    stderr: await stderr,
  }));
  const listening = new Promise<number>((resolve, reject) => {
    createInterface({ input: program.stdout }).on("line", line => {
      lines.push(line);
      const { event, port } = JSON.parse(line);
      if (event === "listening") resolve(port);
    });
    exited.then(outcome => reject(new Error(`serve ended: ${JSON.stringify(outcome)}`)));
  });
  const port = await inTime("a service that listens", listening);
  return {
    call: makeClient(port),
    port,
    /** The lines of standard output so far. */
    lines,
    exited,
    signal: (signal: NodeJS.Signals) => void program.kill(signal),
    /** Asks the service to stop and waits until it has. */
    stop(signal: NodeJS.Signals = "SIGTERM") {
      program.kill(signal);
      return inTime(`the end of serve after ${signal}`, exited);
    },
  };
}

/** Where the operations listener of a service listens. */
export function operationsOf({ lines }: Pick<Service, "lines">): { port: number; call: Call } {
  const listening = lines.map(line => JSON.parse(line)).find(({ event }) => event === "operations listening");
  assert.equal(typeof listening?.port, "number");
  return { port: listening.port, call: makePlainClient(listening.port) };
}
