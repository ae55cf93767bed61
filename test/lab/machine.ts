import { execFileSync } from "node:child_process";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";

/** What figures are of: the commit, and the machine. */
export function measuredOn(binaries: string): string {
  const run = (program: string, args: readonly string[]) =>
    execFileSync(program, args, { encoding: "utf8" }).trim();
  const commit = run("git", ["describe", "--always", "--dirty"]);
  const postgres = /\d+(\.\d+)?/.exec(run(join(binaries, "postgres"), ["--version"]))?.[0];
  const [cpu] = cpus();
  return `Commit ${commit}; ${availableParallelism()} cores (${cpu?.model.trim()}) shared by service, clients and PostgreSQL; Node ${process.versions.node}; PostgreSQL ${postgres}`;
}
