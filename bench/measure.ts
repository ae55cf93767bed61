import { load } from "./load.ts";
import type { Report } from "./load-client.ts";
import { cpuMicroseconds, peakResidentMib, resetPeak } from "./processes.ts";
import type { Serving, Stage } from "./stage.ts";
import type { Workload } from "./workloads.ts";

/** What one round of one target came to. */
export interface Figures extends Report {
  readonly requestsPerSecond: number;
  /** CPU time of the server itself for each request. */
  readonly cpuMicroseconds: number;
  readonly postgresCpuMicroseconds: number;
  readonly peakResidentMib: number;
}

export interface Choices {
  readonly rounds: number;
  readonly seconds: number;
}

export interface Result {
  readonly workload: string;
  readonly connections: number;
  readonly service: Figures;
}

export interface Target {
  readonly pid: number;
  readonly run: (seconds: number) => Promise<Report>;
}

/** What the load cost, beside what it reports itself. */
export async function costed(stage: Stage, { pid, run }: Target, seconds: number): Promise<Figures> {
  resetPeak(pid);
  const cpu = () => [cpuMicroseconds(pid), cpuMicroseconds(stage.postgresPid)] as const;
  const [serverBefore, postgresBefore] = cpu();
  const report = await run(seconds);
  const [serverAfter, postgresAfter] = cpu();
  return {
    ...report,
    requestsPerSecond: report.requests / report.seconds,
    cpuMicroseconds: (serverAfter - serverBefore) / report.requests,
    postgresCpuMicroseconds: (postgresAfter - postgresBefore) / report.requests,
    peakResidentMib: peakResidentMib(pid),
  };
}

/** Measures one workload, round after round. */
export async function measure(
  stage: Stage,
  serving: Serving,
  workload: Workload,
  { rounds, seconds }: Choices,
): Promise<Result> {
  const requests = workload.requests(serving.token);
  const { connections, status: expectedStatus } = workload;
  const run = (seconds: number) =>
    load({ port: serving.port, requests, connections, seconds, expectedStatus });
  // Code is compiled and caches are filled before anything counts.
  await run(Math.min(1, seconds));

  const samples: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    samples.push(await costed(stage, { pid: serving.pid, run }, seconds));
  }
  refuseErrors(workload.name, samples);
  return { workload: workload.name, connections, service: medians(samples) };
}

/** Figures of a service that fails say nothing. */
export function refuseErrors(name: string, samples: readonly Figures[]): void {
  const errors = samples.reduce((sum, figures) => sum + figures.errors, 0);
  if (errors > 0) throw new Error(`${name}: ${errors} answers were not the expected ones`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Of the server's CPU time against that of another in the same round. */
export const medianRatio = (samples: readonly Figures[], others: readonly Figures[]): number =>
  median(samples.map((one, round) => one.cpuMicroseconds / (others[round]?.cpuMicroseconds || 1)));

/** Each figure's own median. */
export function medians(samples: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number) => median(samples.map(pick));
  return {
    requests: of(one => one.requests),
    seconds: of(one => one.seconds),
    errors: samples.reduce((sum, one) => sum + one.errors, 0),
    p50Milliseconds: of(one => one.p50Milliseconds),
    p99Milliseconds: of(one => one.p99Milliseconds),
    requestsPerSecond: of(one => one.requestsPerSecond),
    cpuMicroseconds: of(one => one.cpuMicroseconds),
    postgresCpuMicroseconds: of(one => one.postgresCpuMicroseconds),
    peakResidentMib: of(one => one.peakResidentMib),
  };
}
