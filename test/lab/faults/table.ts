import type { Outcome } from "./scenario.ts";

const heads = ["fault", "rounds", "acknowledged", "lost", "doubled", "hung", "recovery ms (median, worst)"];

export type Result = { readonly name: string } & (Outcome | { readonly skipped: string });

/** One row for each fault, in Markdown. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map(result =>
    "skipped" in result
      ? [result.name, "skipped", "", "", "", "", result.skipped]
      : [
          result.name,
          ...[result.rounds, result.acknowledged, result.lost, result.doubled, result.hung].map(String),
          recoveryOf(result.recoveries),
        ],
  );
  return markdownOf(heads, rows);
}

const pauseHeads = ["longest time without a write, s", "on any node", "by HAProxy", "by several hosts"];

/** The scenarios on a Patroni cluster, if any have run. */
export function pauseTableOf(results: readonly Result[]): string | undefined {
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
  const rows = results.flatMap(result =>
    "skipped" in result || result.pauses === undefined
      ? []
      : [[result.name, ...[result.pauses.unwritable, result.pauses.proxy, result.pauses.hosts].map(seconds)]],
  );
  return rows.length === 0 ? undefined : markdownOf(pauseHeads, rows);
}

function markdownOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map(row => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(heads), line(rule), ...rows.map(line)].join("\n");
}

function recoveryOf(recoveries: readonly number[]): string {
  const sorted = [...recoveries].sort((a, b) => a - b);
  const [median, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return median === undefined || worst === undefined ? "" : `${Math.round(median)}, ${Math.round(worst)}`;
}

/** Whether every promise was kept; a scenario that could not run has broken none. */
export const isClean = (result: Result): boolean =>
  "skipped" in result || result.lost + result.doubled + result.hung + result.faults.length === 0;
