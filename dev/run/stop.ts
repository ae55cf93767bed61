import { isatty } from "node:tty";

const checkMilliseconds = 250;

/**
 * Aborts when this process should end: Ctrl-C, a closed terminal, a standard output that is gone, or a parent (make, the
 * shell) that was killed without telling anybody. A second Ctrl-C ends the process at once.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  process.on("SIGINT", () => (stop.signal.aborted ? process.exit(1) : stop.abort()));
  // A terminal that is closed sends SIGHUP more than once.
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stop.abort());
  const parent = process.ppid;
  const terminals = [0, 1, 2].filter(isatty);
  setInterval(() => {
    // Of a terminal that is closed only the leader of its session is told, which may be make.
    if (process.ppid !== parent || !terminals.every(isatty)) stop.abort();
  }, checkMilliseconds).unref();
  return stop.signal;
}
