import { readFileSync, writeFileSync } from "node:fs";
import type { Growth } from "./growth.ts";
import type { Result } from "./measure.ts";
import type { TrailCost, TrailPoint } from "./trail.ts";

/** All that a run has found; parts that were not asked for are absent. */
export interface Findings {
  readonly machine: string;
  readonly logs: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly results?: readonly Result[];
  readonly growth?: readonly Growth[];
  readonly trail?: { readonly create: TrailCost; readonly points: readonly TrailPoint[] };
}

/** The parts of the page that a run writes, each in Markdown under the name of its place. */
export function sectionsOf(findings: Findings): Readonly<Record<string, string>> {
  const { results, growth, trail } = findings;
  return {
    ...(results && { machine: machineOf(findings), table: resultsTable(results) }),
    ...(growth && { growth: growthTable(findings.machine, growth) }),
    ...(trail && { trail: trailTable(findings.machine, trail) }),
  };
}

/** Puts the sections for which the page has a place between their markers. */
export function writePage(page: string, findings: Findings): void {
  const text = Object.entries(sectionsOf(findings)).reduce(
    (text, [name, section]) => replaceSection(text, name, section) ?? text,
    readFileSync(page, "utf8"),
  );
  writeFileSync(page, text);
}

/** Undefined when the page has no such place. */
export function replaceSection(page: string, name: string, section: string): string | undefined {
  const [begin, end] = [`<!-- bench: ${name} -->`, `<!-- /bench: ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) return undefined;
  return `${page.slice(0, from + begin.length)}\n${section.trim()}\n${page.slice(to)}`;
}

/** Numbers to the right, words to the left. */
const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map((_, i) => (isWords(rows, i) ? "---" : "--:")), ...rows]
    .map(row => `| ${row.join(" | ")} |`)
    .join("\n");

const isWords = (rows: readonly (readonly string[])[], column: number): boolean =>
  rows.some(row => /[a-z]/i.test(row[column] ?? ""));

const number = (value: number | null): string =>
  value === null
    ? ""
    : value >= 100
      ? Math.round(value).toLocaleString("en")
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(2);

const machineOf = ({ machine, logs, rounds, seconds }: Findings): string =>
  `${machine}. ${logs.toLocaleString("en")} logs at the start; medians of ${rounds} rounds of ${seconds} s.`;

function resultsTable(results: readonly Result[]): string {
  const heads = [
    "request",
    "clients",
    "CPU µs: service",
    "PostgreSQL",
    "requests/s",
    "p50 ms",
    "p99 ms",
    "peak RSS MiB",
  ];
  const rows = results.map(({ workload, connections, service }) => [
    workload,
    String(connections),
    number(service.cpuMicroseconds),
    number(service.postgresCpuMicroseconds),
    number(service.requestsPerSecond),
    number(service.p50Milliseconds),
    number(service.p99Milliseconds),
    number(service.peakResidentMib),
  ]);
  return table(heads, rows);
}

/** Each operation with what was found at each number of logs. */
function byOperation(growth: readonly Growth[]): (readonly [name: string, points: readonly Growth[]])[] {
  const names = [...new Set(growth.map(({ operation }) => operation))];
  return names.map(name => [name, growth.filter(({ operation }) => operation === name)] as const);
}

/** With the smallest and the largest number of logs: between them nothing grows. */
function growthTable(machine: string, growth: readonly Growth[]): string {
  const ends = [growth[0]?.logs, growth.at(-1)?.logs];
  const rows = byOperation(growth.filter(({ logs }) => ends.includes(logs)));
  const figures = table(
    ["µs in PostgreSQL", ...(rows[0]?.[1] ?? []).map(({ logs }) => `${logs.toLocaleString("en")} logs`)],
    rows.map(([operation, points]) => [operation, ...points.map(({ microseconds }) => number(microseconds))]),
  );
  return `${machine}. Medians of 31 runs of the service's statement.\n\n${figures}`;
}

function trailTable(machine: string, { create, points }: NonNullable<Findings["trail"]>): string {
  const heads = [
    "entries",
    "proof, × one log",
    "entries numbered a second",
    "bytes an entry",
    "verify --entries, s",
    "its peak MiB",
  ];
  const rows = points.map(point => [
    point.entries.toLocaleString("en"),
    number(point.times),
    number(point.entriesPerSecond || null),
    number(point.bytesPerEntry),
    number(point.verifySeconds),
    number(point.verifyPeakMib),
  ]);
  const costs = [create.off, create.on].map(cost => number(cost.service + cost.postgres));
  return `${machine}. Writing a log takes ${costs[0]} µs of CPU without numbering and signing, and ${costs[1]} µs with both: × ${number(create.times)}.

${table(heads, rows)}`;
}
