import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** CPU time is told in ticks of a hundredth of a second (proc(5), USER_HZ). */
const tickMicroseconds = 10_000;

interface Stat {
  readonly parent: number;
  /** User and system time, that of children that have ended included. */
  readonly ticks: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold spaces; what follows it does not.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
}

/** CPU time that a process and its present children have taken so far, in microseconds. */
export function cpuMicroseconds(pid: number): number {
  const pids = readdirSync("/proc").filter(name => /^\d+$/.test(name));
  const stats = pids.map(name => ({ pid: Number(name), stat: statOf(Number(name)) }));
  const ticks = stats
    .filter(one => one.pid === pid || one.stat?.parent === pid)
    .reduce((sum, { stat }) => sum + (stat?.ticks ?? 0), 0);
  return ticks * tickMicroseconds;
}

/** The most memory that was resident since the last reset, in MiB. */
export function peakResidentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
}

export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5");
