import { readFileSync } from "node:fs";
import { buildCommit, buildProgram, hasCommit } from "../test/lab/faults/program.ts";
import { findPostgresBinaries } from "../test/support/native-postgres.ts";
import { load } from "./load.ts";
import { costed, type Figures, medianRatio, refuseErrors } from "./measure.ts";
import { openStage, type Serving, type Stage } from "./stage.ts";
import { type Workload, workloads } from "./workloads.ts";

/**
 * A short run of the requests that matter most: the CPU time of one, with that of PostgreSQL, beside the same of the
 * commit that bench/last-release names, in turn.
 *
 *     node --import tsx bench/paired.ts
 *
 * Prints the ratios. Fails only on one that no load of the machine explains; what is a few per cent dearer is for a person to see.
 */
const mostTimesLast = 1.4;
const rounds = 6;
const seconds = 0.6;
const logs = 20_000;
const measured = /^(one log|200 assets|100 logs of an asset|create a log)$/;

interface Side {
  readonly stage: Stage;
  readonly serving: Serving;
}

const binaries = findPostgresBinaries();
if (binaries === undefined) {
  console.log("CPU of a request: not measured, since this machine has no PostgreSQL of its own");
  process.exit(0);
}
const lastRelease = readFileSync("bench/last-release", "utf8").trim();
if (!hasCommit(lastRelease)) {
  console.log(`CPU of a request: not measured, since commit ${lastRelease} is not in this clone`);
  process.exit(0);
}
const [now, last] = await Promise.all([openSide(buildProgram()), openSide(buildCommit(lastRelease))]);

console.log(`CPU of a request, with PostgreSQL: × commit ${lastRelease}`);
let isDearer = false;
for (const workload of workloads(logs).filter(({ name }) => measured.test(name))) {
  const ratio = await compare(workload);
  console.log(`${workload.name.padEnd(24)}${ratio.toFixed(2)}`);
  isDearer ||= ratio > mostTimesLast;
}
for (const { serving, stage } of [now, last]) {
  await serving.stop();
  await stage.close();
}
if (isDearer) console.log(`more than × ${mostTimesLast}`);
process.exit(isDearer ? 1 : 0);

async function openSide(program: string): Promise<Side> {
  const stage = await openStage(binaries as string, program, logs);
  return { stage, serving: await stage.serve() };
}

async function compare(workload: Workload): Promise<number> {
  const samples = { now: [] as Figures[], last: [] as Figures[] };
  // The first round is for V8 to compile what it repeats. What comes second in a round is a little dearer, so the order changes.
  for (let round = 0; round <= rounds; round += 1) {
    const order = [["now", now] as const, ["last", last] as const];
    for (const [name, side] of round % 2 === 0 ? order : order.reverse()) {
      const found = await cost(side, workload);
      if (round > 0) samples[name].push(found);
    }
  }
  refuseErrors(workload.name, Object.values(samples).flat());
  const withPostgres = (figures: Figures) => ({
    ...figures,
    cpuMicroseconds: figures.cpuMicroseconds + figures.postgresCpuMicroseconds,
  });
  return medianRatio(samples.now.map(withPostgres), samples.last.map(withPostgres));
}

function cost({ stage, serving }: Side, workload: Workload): Promise<Figures> {
  const { connections, status: expectedStatus } = workload;
  const requests = workload.requests(serving.token);
  const run = (seconds: number) =>
    load({ port: serving.port, requests, connections, seconds, expectedStatus });
  return costed(stage, { pid: serving.pid, run }, seconds);
}
