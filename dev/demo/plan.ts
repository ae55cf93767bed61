import { between, makeRandom, pick, type Random } from "../../test/lab/faults/random.ts";
import type { DemoAsset } from "./assets.ts";
import type { DemoRole } from "./state.ts";

/** A log as the API takes it, and where and by whom. */
export interface PlannedLog {
  /** Index of the asset. */
  readonly asset: number;
  readonly performer: DemoRole;
  readonly performedDate: string;
  readonly status: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
  readonly taskType: "PRODUCTION" | "MAINTENANCE" | "ERROR";
  readonly comment: string;
}

interface Plan {
  readonly seed: number;
  readonly count: number;
  /** The logs were performed in the year before this day, `YYYY-MM-DD`. */
  readonly until: string;
}

/** The same logs for the same plan, oldest first. */
export function planLogs(assets: readonly DemoAsset[], { seed, count, until }: Plan): readonly PlannedLog[] {
  const random = makeRandom(seed);
  const daysAgo = Array.from({ length: count }, () => between(random, 1, 365)).sort((a, b) => b - a);
  return daysAgo.map(days => {
    const asset = between(random, 0, assets.length - 1);
    const { taskType, comments } = kindOf(random, assets[asset] as DemoAsset);
    return {
      asset,
      performer: random() < 0.8 ? "TECHNICIAN" : "MANAGER",
      performedDate: `${dayBefore(until, days)}T${twoDigits(between(random, 6, 17))}:${twoDigits(5 * between(random, 0, 11))}`,
      status: statusOf(random, days),
      taskType,
      comment: withNumbers(random, pick(random, comments)),
    };
  });
}

function kindOf(random: Random, asset: DemoAsset) {
  const share = random();
  if (share < 0.55) return { taskType: "MAINTENANCE", comments: asset.maintenance } as const;
  if (share < 0.75) return { taskType: "ERROR", comments: asset.error } as const;
  return { taskType: "PRODUCTION", comments: asset.production } as const;
}

/** Only what is recent is still open. */
function statusOf(random: Random, daysAgo: number): PlannedLog["status"] {
  const share = random();
  if (daysAgo <= 5 && share < 0.5) return share < 0.3 ? "PENDING" : "IN_PROGRESS";
  return share > 0.95 ? "CANCELLED" : "COMPLETED";
}

/** `{40-60}` becomes a number from 40 to 60. */
const withNumbers = (random: Random, text: string): string =>
  text.replace(/\{(\d+)-(\d+)\}/g, (_, low, high) => String(between(random, Number(low), Number(high))));

const twoDigits = (value: number): string => String(value).padStart(2, "0");

function dayBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() - days);
  return date.toISOString().slice(0, 10);
}
