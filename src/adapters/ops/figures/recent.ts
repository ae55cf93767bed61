import type { Refusal } from "../../../application/figures.ts";
import type { Reading } from "./reading.ts";
import { durationBoundsSeconds, type RequestSeries } from "./request-meter.ts";

/** What happened between two readings. */
export interface Recent {
  readonly seconds: number;
  /** With the counts of this time only. */
  readonly requests: readonly RequestSeries[];
  readonly refused: (refusal: Refusal) => number;
  readonly turnedAway: number;
  /** Of one core. */
  readonly cpuShare: number;
}

export function between(earlier: Reading, later: Reading): Recent {
  const seconds = later.runtime.uptimeSeconds - earlier.runtime.uptimeSeconds;
  const known = new Map(earlier.requests.map(series => [keyOf(series), series]));
  return {
    seconds,
    requests: later.requests.map(series => subtract(series, known.get(keyOf(series)))),
    refused: refusal => later.refusals[refusal] - earlier.refusals[refusal],
    turnedAway: turnedAwayOf(later) - turnedAwayOf(earlier),
    cpuShare: ratio(later.runtime.cpuSeconds - earlier.runtime.cpuSeconds, seconds),
  };
}

const keyOf = ({ method, route }: RequestSeries): string => `${method} ${route}`;

const turnedAwayOf = ({ http }: Reading): number =>
  Object.values(http.turnedAway).reduce((sum, count) => sum + count, 0);

function subtract(later: RequestSeries, earlier: RequestSeries | undefined): RequestSeries {
  if (earlier === undefined) return later;
  return {
    ...later,
    statuses: new Map(
      [...later.statuses].map(([status, n]) => [status, n - (earlier.statuses.get(status) ?? 0)]),
    ),
    counts: later.counts.map((count, i) => count - (earlier.counts[i] ?? 0)),
    milliseconds: later.milliseconds - earlier.milliseconds,
  };
}

/** 0 when the whole is 0. */
export const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

export const countOf = ({ counts }: RequestSeries): number => counts.reduce((sum, count) => sum + count, 0);

/** Requests that were answered with a 5xx status. */
export const failuresOf = ({ statuses }: RequestSeries): number =>
  [...statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0);

/**
 * The time within which this share of the requests was answered, in seconds, interpolated within a bucket like
 * `histogram_quantile` of Prometheus. Infinity when it is past all bounds, undefined without requests.
 */
export function quantile(share: number, series: RequestSeries): number | undefined {
  const total = countOf(series);
  if (total === 0) return undefined;
  const wanted = share * total;
  let below = 0;
  for (const [i, upper] of durationBoundsSeconds.entries()) {
    const count = series.counts[i] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const lower = durationBoundsSeconds[i - 1] ?? 0;
      return lower + (upper - lower) * ((wanted - below) / count);
    }
    below += count;
  }
  return Number.POSITIVE_INFINITY;
}
