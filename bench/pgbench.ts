import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { connect } from "../src/adapters/postgres/connection/database.ts";
import { makeRepositories } from "../src/adapters/postgres/repositories/repositories.ts";
import { folder } from "../test/lab/faults/processes.ts";
import { literal, recording } from "../test/support/recording-database.ts";
import type { Report } from "./load-client.ts";
import type { Workload } from "./workloads.ts";

/** As many as the service's pool has. */
const clients = 10;

/** PostgreSQL's own rate for the statement that the service sends, without the service; undefined where it sends none. */
export async function makePgbench(binaries: string, url: string, workload: Workload, workloadLogs: number) {
  const program = join(binaries, "pgbench");
  if (!existsSync(program) || workload.statement === undefined) return undefined;
  const script = join(folder, "statement.sql");
  const text = await scriptOf(url, workload, workloadLogs);
  return async (seconds: number): Promise<Report> => {
    writeFileSync(script, text);
    const prefix = join(folder, "pgbench");
    const began = performance.now();
    const args = ["-n", "-M", "prepared", "-c", `${clients}`, "-j", "1", "-T", `${Math.ceil(seconds)}`];
    const logging = ["-l", "--log-prefix", prefix];
    const { stdout } = await promisify(execFile)(program, [...args, ...logging, "-f", script, url]);
    const logs = readdirSync(folder).filter(name => name.startsWith("pgbench."));
    const times = logs
      .flatMap(name => readFileSync(join(folder, name), "latin1").trim().split("\n"))
      .map(line => Number(line.split(" ")[2]) / 1_000)
      .sort((a, b) => a - b);
    for (const name of logs) rmSync(join(folder, name));
    const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
    return {
      requests: Number(/transactions actually processed: (\d+)/.exec(stdout)?.[1]),
      seconds: (performance.now() - began) / 1_000,
      errors: Number(/failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0),
      p50Milliseconds: at(0.5),
      p99Milliseconds: at(0.99),
    };
  };
}

/** The first statement that the repositories send, with a variable of pgbench where the marker was. */
async function scriptOf(url: string, { statement, ids }: Workload, logs: number): Promise<string> {
  const service = connect(url);
  const { database, sent } = recording(service);
  const marker = ids?.[1] ?? logs;
  const whole = new RegExp(`(?<!\\d)${marker}(?!\\d)`);
  await statement?.(makeRepositories(database), marker);
  await service.close();
  const [{ text, values } = { text: "", values: [] }] = sent;
  const literals = values.map(value => {
    const [before, after, ...more] = String(value).split(whole);
    if (ids === undefined || after === undefined || more.length > 0) return literal(value);
    return before === "" && after === "" ? ":id" : `(${literal(before)} || :id || ${literal(after)})`;
  });
  const bound = text.replace(/\$(\d+)/g, (_, number) => literals[Number(number) - 1] ?? "null");
  const random = ids === undefined ? "" : `\\set id random(${ids[0]}, ${ids[1]})\n`;
  return `${random}${bound.replaceAll(/\s*\n\s*/g, " ").trim()};\n`;
}
