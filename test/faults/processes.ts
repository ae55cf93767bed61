import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const alive = new Set<ChildProcess>();
const atExit: (() => void)[] = [];

/** Everything of this run lies below it; other users may pass through it, since PostgreSQL runs as one of them. */
export const folder = mkdtempSync(join(tmpdir(), "maintenance-log-faults-"));
chmodSync(folder, 0o755);

// However the run ends, nothing that it started stays behind.
process.once("exit", () => {
  for (const child of alive) killTree(child);
  for (const undo of atExit) undo();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

/** Remembers a child until it ends. */
export function own<Child extends ChildProcess>(child: Child): Child {
  alive.add(child);
  child.once("exit", () => alive.delete(child));
  return child;
}

export const onExit = (undo: () => void): void => void atExit.push(undo);

export async function untilExited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly residentKib: number;
}

/** The processes of this machine but zombies. */
const listed = (): Listed[] =>
  execFileSync("ps", ["-axo", "pid=,ppid=,rss=,stat="], { encoding: "utf8" })
    .split("\n")
    .map(line => line.trim().split(/\s+/))
    .filter(([, , , state = "Z"]) => !state.startsWith("Z"))
    .map(([pid, parent, rss]) => ({ pid: Number(pid), parent: Number(parent), residentKib: Number(rss) }));

const childrenOf = (pid: number): number[] =>
  listed()
    .filter(({ parent }) => parent === pid)
    .map(child => child.pid);

export const residentMib = (pid: number): number =>
  (listed().find(one => one.pid === pid)?.residentKib ?? 0) / 1_024;

/** Signals a process and its children; the parent first, so that it starts no others meanwhile. */
export function signalTree(pid: number, signal: "SIGSTOP" | "SIGCONT"): void {
  signalOne(pid, signal);
  for (const child of childrenOf(pid)) signalOne(child, signal);
}

/** SIGKILL for a process and all its children; answers who they were. */
export function killTree({ pid, exitCode, signalCode }: ChildProcess): number[] {
  if (pid === undefined || exitCode !== null || signalCode !== null) return [];
  signalOne(pid, "SIGSTOP");
  const all = [...childrenOf(pid), pid];
  for (const one of all) signalOne(one, "SIGKILL");
  return all;
}

/** Waits until none of these processes is there any more. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const present = new Set(listed().map(({ pid }) => pid));
    if (!pids.some(pid => present.has(pid))) return;
    await sleep(10);
  }
  throw new Error("killed processes are still there after 5 s");
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** A free port below those that the system hands out, so that nobody gets it while its owner restarts. */
export async function stablePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 20_000 + ((process.pid * 37 + nextPort++) % 10_000);
    const probe = createServer();
    const free = await new Promise<boolean>(resolve => {
      probe.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!free) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
  throw new Error("no free port");
}
let nextPort = 0;
