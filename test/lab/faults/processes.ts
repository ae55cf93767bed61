import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killTreeOf } from "../../../dev/process-tree.ts";

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

/** SIGKILL for a process and all its children; answers who they were. */
export function killTree({ pid, exitCode, signalCode }: ChildProcess): number[] {
  if (pid === undefined || exitCode !== null || signalCode !== null) return [];
  return killTreeOf(pid);
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
