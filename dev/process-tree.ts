import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

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
export function killTreeOf(pid: number): number[] {
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

export function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
