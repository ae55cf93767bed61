import { execFileSync } from "node:child_process";
import { openSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatSignerKey, formatVerifierKey, makeSignerKey } from "../src/domain/trail/note.ts";
import { folder } from "../test/lab/faults/processes.ts";
import { load, requestText } from "./load.ts";
import { type Choices, median } from "./measure.ts";
import { withHeldTrail } from "./patched-program.ts";
import { cpuMicroseconds } from "./processes.ts";
import type { Serving, Stage } from "./stage.ts";
import { pointRead, type Workload, workloads } from "./workloads.ts";

const key = makeSignerKey("bench.example.com", new Uint8Array(32).fill(9));
const stateFile = join(folder, "bench-checkpoint");
const settings = { TRAIL_KEY: formatSignerKey(key), TRAIL_STATE_FILE: stateFile };

/** CPU time of the service and of PostgreSQL for one request, in microseconds. */
interface Cost {
  readonly service: number;
  readonly postgres: number;
}

export interface TrailCost {
  readonly off: Cost;
  readonly on: Cost;
  /** Of both together, the median over the pairs. */
  readonly times: number;
}

export interface TrailPoint {
  readonly entries: number;
  readonly log: Cost;
  readonly proof: Cost;
  /** CPU time of a proof against that of the log itself, the median over the rounds. */
  readonly times: number;
  readonly entriesPerSecond: number;
  readonly bytesPerEntry: number;
  readonly verifySeconds: number;
  readonly verifyPeakMib: number;
}

const sum = ({ service, postgres }: Cost): number => service + postgres;

/** In one process: V8 compiles each one differently, which makes more of a difference than the trail. */
const pairs = 8;
/** Numbering runs once a second, so V8 compiles it later than what each request does. */
const warmSeconds = 12;
const pairSeconds = 2;

/** Writing logs with the numbering and signing of the trail, and while both are held, in turn. */
export async function measureCreate(
  stage: Stage,
  program: string,
  logs: number,
  { rounds }: Choices,
): Promise<TrailCost> {
  const create = workloads(logs).find(({ name }) => name === "create a log") as Workload;
  // Numbering and signing come within a second; what finds out whether they have must not be a part of the cost.
  const afterwards = () => sleep(1_200);
  const off: Cost[] = [];
  const on: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const serving = await stage.serve(settings, withHeldTrail(program));
    await costOf(stage, serving, create, warmSeconds);
    const signal = () => process.kill(serving.pid, "SIGUSR2");
    for (let turn = 0; turn < 2 * pairs; turn += 1) {
      await untilCovered(stage);
      // Until the last of them are signed.
      await afterwards();
      // On, off, off, on: the machine may become slower meanwhile.
      const isOn = turn % 4 === 0 || turn % 4 === 3;
      if (!isOn) signal();
      (isOn ? on : off).push(await costOf(stage, serving, create, pairSeconds, afterwards));
      if (!isOn) signal();
    }
    await untilCovered(stage);
    await serving.stop();
  }
  // Another database has another trail.
  rmSync(stateFile);
  return {
    off: medians(off),
    on: medians(on),
    times: median(on.map((cost, pair) => sum(cost) / sum(off[pair] as Cost))),
  };
}

/** What the trail costs with so many logs, which are there; those that have no entry yet get one. */
export async function measureTrail(
  stage: Stage,
  program: string,
  entries: number,
  { rounds, seconds }: Choices,
): Promise<TrailPoint> {
  const before = await numbered(stage);
  const begun = performance.now();
  const serving = await stage.serve(settings);
  await untilCovered(stage);
  const entriesPerSecond = ((await numbered(stage)) - before) / ((performance.now() - begun) / 1_000);
  const log: Cost[] = [];
  const proof: Cost[] = [];
  // Not each id up to their number is that of a log.
  const found = await stage.sql<{ id: number }[]>`
    select id::integer as id from generate_series(1, ${entries}::integer, ${entries / 1e4}::integer) id join maintenance_log using (id)`;
  const requestsBelow = (suffix: string) => (token: string) =>
    found.map((_, at) => {
      const { id } = found[(at * 7_919) % found.length] as { id: number };
      return requestText({ path: `/api/v1/logs/${id}${suffix}`, token });
    });
  const read: Workload = { ...pointRead(entries), requests: requestsBelow("") };
  const proofs: Workload = { ...read, requests: requestsBelow("/proof") };
  await sleep(1_500);
  for (const workload of [read, proofs]) await costOf(stage, serving, workload, 1);
  for (let round = 0; round < rounds; round += 1) {
    log.push(await costOf(stage, serving, read, seconds));
    proof.push(await costOf(stage, serving, proofs, seconds));
  }
  await serving.stop();
  return {
    entries,
    log: medians(log),
    proof: medians(proof),
    times: median(proof.map((cost, round) => sum(cost) / sum(log[round] as Cost))),
    entriesPerSecond,
    bytesPerEntry: await bytesPerEntry(stage),
    ...(await verifyOffline(stage, program)),
  };
}

async function costOf(
  stage: Stage,
  { port, pid, token }: Serving,
  { requests, connections, status }: Workload,
  seconds: number,
  after: () => Promise<unknown> = async () => {},
): Promise<Cost> {
  const cpu = () => [cpuMicroseconds(pid), cpuMicroseconds(stage.postgresPid)] as const;
  const [service, postgres] = cpu();
  const report = await load({
    port,
    requests: requests(token),
    connections,
    seconds,
    expectedStatus: status,
  });
  if (report.errors > 0) throw new Error(`${report.errors} answers were not the expected ones`);
  await after();
  const [serviceAfter, postgresAfter] = cpu();
  return {
    service: (serviceAfter - service) / report.requests,
    postgres: (postgresAfter - postgres) / report.requests,
  };
}

const medians = (costs: readonly Cost[]): Cost => ({
  service: median(costs.map(({ service }) => service)),
  postgres: median(costs.map(({ postgres }) => postgres)),
});

async function numbered({ sql }: Stage): Promise<number> {
  const [row] = await sql<{ size: number }[]>`
    select coalesce(max(index) + 1, 0)::integer as size from trail_entry`;
  return row?.size ?? 0;
}

/** Waits until the last log has its number. */
async function untilCovered(stage: Stage): Promise<void> {
  const [row] = await stage.sql<{ records: number }[]>`
    select ((select count(*) from maintenance_log) + (select count(*) from employee_event)
      + (select count(*) from asset_event))::integer as records`;
  while ((await numbered(stage)) < (row?.records ?? 0)) await sleep(100);
}

async function bytesPerEntry(stage: Stage): Promise<number> {
  const [row] = await stage.sql<{ bytes: number }[]>`
    select (pg_total_relation_size('trail_entry') + pg_total_relation_size('trail_node')
      + pg_total_relation_size('trail_checkpoint'))::float as bytes`;
  return (row?.bytes ?? 0) / (await numbered(stage));
}

/** Exports the trail, and verifies the export against the checkpoint of the state file. */
async function verifyOffline({ url }: Stage, program: string) {
  const entries = join(folder, "bench-entries");
  execFileSync(process.execPath, [program, "export-trail"], {
    env: { DATABASE_URL: url },
    stdio: ["ignore", openSync(entries, "w"), "inherit"],
  });
  const report = join(folder, "bench-verify");
  // The peak of the process, which it tells itself at its end.
  const tellPeak = `data:text/javascript,${encodeURIComponent(
    `import { writeFileSync } from "node:fs";
     process.on("exit", () => writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)));`,
  )}`;
  const args = ["verify", "--key", formatVerifierKey(key), "--checkpoint", stateFile, "--entries", entries];
  const begun = performance.now();
  execFileSync(process.execPath, ["--import", tellPeak, program, ...args], { env: {}, stdio: "inherit" });
  const verifySeconds = (performance.now() - begun) / 1_000;
  const verifyPeakMib = Number(readFileSync(report, "utf8")) / 1_024;
  if (statSync(entries).size === 0) throw new Error("the export is empty");
  rmSync(entries);
  return { verifySeconds, verifyPeakMib };
}
