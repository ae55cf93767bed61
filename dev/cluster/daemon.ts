import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

/** A program that runs until it is ended, and may be started again. */
export interface Daemon {
  start(): void;
  /** Of the process that runs now. */
  pid(): number | undefined;
  /** Signals it and waits for its end; SIGKILL for one that takes longer than ten seconds. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** SIGKILL, without waiting. */
  kill(): void;
}

interface Choices {
  readonly cwd: string;
  /** What it prints is appended there. */
  readonly log: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** It is started again a second after it has ended by itself, as systemd does with the service. */
  readonly restarts?: true;
}

const patienceMilliseconds = 10_000;
const restMilliseconds = 1_000;

export function makeDaemon(program: string, args: readonly string[], choices: Choices): Daemon {
  const { cwd, log, environment = {}, user } = choices;
  let child: ChildProcess | undefined;
  let isWanted = false;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const daemon: Daemon = {
    start() {
      isWanted = true;
      const output = openSync(log, "a");
      child = spawn(program, args, {
        ...user,
        cwd,
        // A group of its own: Ctrl-C is for the process that has started all of them.
        detached: true,
        env: { PATH: process.env["PATH"], HOME: cwd, LC_ALL: "C.UTF-8", ...environment },
        stdio: ["ignore", output, output],
      });
      child.once("error", () => {});
      if (choices.restarts) {
        child.once("exit", () => setTimeout(() => isWanted && daemon.start(), restMilliseconds).unref());
      }
      closeSync(output);
    },
    pid: () => (isRunning() ? child?.pid : undefined),
    async end(signal) {
      isWanted = false;
      if (child === undefined || !isRunning()) return;
      const ended = once(child, "exit");
      child.kill(signal);
      const deadline = setTimeout(() => child?.kill("SIGKILL"), patienceMilliseconds);
      await ended;
      clearTimeout(deadline);
    },
    kill() {
      isWanted = false;
      child?.kill("SIGKILL");
    },
  };
  return daemon;
}
