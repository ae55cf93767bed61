import type { Refusal } from "../../../application/figures.ts";
import type { Reading } from "./reading.ts";
import { durationBoundsSeconds, type RequestSeries } from "./request-meter.ts";

/** What happened between two readings. */
export type Recent = ReturnType<typeof between>;
export type RecentRoute = Recent["routes"][number];

export function between(earlier: Reading, later: Reading) {
  const seconds = later.runtime.uptimeSeconds - earlier.runtime.uptimeSeconds;
  const keyOf = ({ method, route }: RequestSeries) => `${method} ${route}`;
  const known = new Map(earlier.requests.map(series => [keyOf(series), series]));
  const routes = later.requests.map(series => {
    const before = known.get(keyOf(series));
    const counts = series.counts.map((count, i) => count - (before?.counts[i] ?? 0));
    const failures = failuresOf(series) - failuresOf(before);
    return { method: series.method, route: series.route, requests: sum(counts), counts, failures };
  });
  return {
    seconds,
    routes,
    requests: sum(routes.map(({ requests }) => requests)),
    failures: sum(routes.map(({ failures }) => failures)),
    refused: (refusal: Refusal) => later.refusals[refusal] - earlier.refusals[refusal],
    turnedAway: sum(Object.values(later.http.turnedAway)) - sum(Object.values(earlier.http.turnedAway)),
    /** Of one core. */
    cpuShare: ratio(later.runtime.cpuSeconds - earlier.runtime.cpuSeconds, seconds),
  };
}

/** 0 when the whole is 0. */
export const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Requests whose response had a 5xx status. */
const failuresOf = (series: RequestSeries | undefined): number =>
  sum([...(series?.statuses ?? [])].map(([status, count]) => (status >= 500 ? count : 0)));

/**
 * The time within which this share of the requests had a response, in seconds, interpolated within a bucket like
 * `histogram_quantile` of Prometheus. Infinity when it is past all bounds, undefined without requests.
 */
export function quantile(share: number, { requests, counts }: RecentRoute): number | undefined {
  if (requests === 0) return undefined;
  const wanted = share * requests;
  let below = 0;
  for (const [i, upper] of durationBoundsSeconds.entries()) {
    const count = counts[i] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const lower = durationBoundsSeconds[i - 1] ?? 0;
      return lower + (upper - lower) * ((wanted - below) / count);
    }
    below += count;
  }
  return Number.POSITIVE_INFINITY;
}
