import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildProgram } from "../test/lab/faults/program.ts";
import { measuredOn } from "../test/lab/machine.ts";
import { findPostgresBinaries } from "../test/support/native-postgres.ts";
import { type Growth, measureGrowth } from "./growth.ts";
import { type Choices, measure } from "./measure.ts";
import { type Findings, sectionsOf, writePage } from "./report.ts";
import { seedLogs } from "./seed.ts";
import { openStage } from "./stage.ts";
import { measureCreate, measureTrail, type TrailCost, type TrailPoint } from "./trail.ts";
import { workloads } from "./workloads.ts";

/**
 * Measures the compiled service on a PostgreSQL of its own.
 *
 *     node --import tsx bench/run.ts [--only table,growth,trail] [--rounds 3] [--seconds 3]
 *                                    [--most-logs 1000000] [--docs]
 *
 * Ends within half an hour with a million logs at most; ten million take hours. Prints tables, keeps them in bench/results/latest.json, and with --docs the tables of docs/performance.md.
 */
const parts = ["table", "growth", "trail"] as const;
const { values } = parseArgs({
  options: {
    only: { type: "string", default: parts.join() },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    "most-logs": { type: "string", default: "1000000" },
    docs: { type: "boolean", default: false },
  },
});
const only = values.only.split(",");
const [rounds, seconds, mostLogs] = [values.rounds, values.seconds, values["most-logs"]].map(Number) as [
  number,
  number,
  number,
];
if (
  only.some(part => !parts.some(known => known === part)) ||
  !(rounds >= 1 && seconds >= 1 && mostLogs >= 1e4)
)
  fail(64, `usage: --only ${parts.join()} --rounds N --seconds N --most-logs 10000… --docs`);
if (!existsSync("/proc/self/stat")) fail(69, "the bench needs Linux: it reads CPU time from /proc");
const binaries =
  findPostgresBinaries() ?? fail(69, "the bench needs PostgreSQL's own programs, and this machine has none");

const logs = 100_000;
const choices: Choices = { rounds, seconds };
const tell = (line: string): void => console.error(`bench: ${line}`);
const root = fileURLToPath(new URL("..", import.meta.url));

const program = buildProgram();
let findings: Findings = { machine: measuredOn(binaries), logs, rounds, seconds };
if (only.includes("table")) findings = { ...findings, ...(await measureService()) };
if (only.includes("growth") || only.includes("trail")) findings = { ...findings, ...(await measureBySize()) };

for (const [name, section] of Object.entries(sectionsOf(findings))) console.log(`\n${name}\n\n${section}`);
keep(join(root, "bench/results/latest.json"), findings);
if (values.docs) writePage(join(root, "docs/performance.md"), findings);
process.exit(0);

async function measureService(): Promise<Partial<Findings>> {
  tell(`seeding ${logs.toLocaleString("en")} logs`);
  const stage = await openStage(binaries, program, logs);
  const results = [];
  for (const workload of workloads(logs)) {
    // Each begins in a fresh process, so that none inherits the heap of another.
    const serving = await stage.serve();
    tell(workload.name);
    results.push(await measure(stage, serving, workload, choices));
    await serving.stop();
  }
  await stage.close();
  return { results };
}

/** On a database of its own, since the logs that it writes would be more than the least that are looked at below. */
async function measureWriting(): Promise<TrailCost> {
  const stage = await openStage(binaries, program, 1e4);
  tell("writing with the trail and without it");
  const create = await measureCreate(stage, program, 1e4, choices);
  tell(JSON.stringify(create));
  await stage.close();
  return create;
}

/** What is measured at each number of logs. */
async function measureBySize(): Promise<Partial<Findings>> {
  const create = only.includes("trail") ? await measureWriting() : undefined;
  const stage = await openStage(binaries, program, 1e4);
  const growth: Growth[] = [];
  const points: TrailPoint[] = [];
  for (const logs of sizes()) {
    tell(`${logs.toLocaleString("en")} logs`);
    await seedLogs(stage.sql, logs);
    if (only.includes("growth")) {
      growth.push(...(await measureGrowth(stage, logs)));
      tell(JSON.stringify(growth.filter(found => found.logs === logs)));
    }
    if (create !== undefined) {
      points.push(await measureTrail(stage, program, logs, choices));
      tell(JSON.stringify(points.at(-1)));
    }
  }
  await stage.close();
  return { ...(growth.length > 0 && { growth }), ...(create && { trail: { create, points } }) };
}

function sizes(): readonly number[] {
  return [1e4, 1e5, 1e6, 1e7, 1e8].filter(size => size <= mostLogs);
}

/** Parts that were not measured this time stay as they were. */
function keep(file: string, findings: Findings): void {
  mkdirSync(dirname(file), { recursive: true });
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  writeFileSync(file, `${JSON.stringify({ ...before, ...findings }, null, 2)}\n`);
}

function fail(code: number, reason: string): never {
  console.error(`bench: ${reason}`);
  process.exit(code);
}
