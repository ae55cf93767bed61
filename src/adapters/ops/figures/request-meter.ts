import type { Refusal, RequestMeter } from "../../../application/figures.ts";

/** Upper bounds of the duration's buckets, in seconds. */
export const durationBoundsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const boundsMilliseconds = durationBoundsSeconds.map(seconds => seconds * 1_000);

/** The requests with one method for one route since the process started. */
export interface RequestSeries {
  readonly method: string;
  /** The pattern of the route's path; `other` for what found no route. */
  readonly route: string;
  /** How many were answered with each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The number of requests in each bucket; the last bucket has those above all bounds. */
  readonly counts: readonly number[];
  readonly milliseconds: number;
}

export type Refusals = Readonly<Record<Refusal, number>>;

/** Answers that ended before they were whole, by who ended them. */
export type CutAnswers = Readonly<Record<"client" | "service", number>>;

export interface RequestFigures {
  readonly requests: readonly RequestSeries[];
  readonly cutAnswers: CutAnswers;
  readonly refusals: Refusals;
}

/** All other methods are counted as `other`. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

interface Series {
  readonly statuses: Map<number, number>;
  readonly counts: number[];
  milliseconds: number;
}

/**
 * Counts requests by method, route and status, with their durations. The route table bounds the number of series,
 * whatever clients send. Counting allocates nothing.
 */
export function makeRequestMeter(): RequestMeter & { read(): RequestFigures } {
  const byMethod = new Map<string, Map<string, Series>>();
  const refusals: Record<Refusal, number> = {
    "login failed": 0,
    "login throttled": 0,
    "token refused": 0,
    "role refused": 0,
  };

  const cutAnswers = { client: 0, service: 0 };

  function addSeries(method: string, route: string): Series {
    const series = { statuses: new Map(), counts: [...boundsMilliseconds, 0].fill(0), milliseconds: 0 };
    const byRoute = byMethod.get(method) ?? new Map<string, Series>();
    byMethod.set(method, byRoute.set(route, series));
    return series;
  }

  return {
    answered(sent, route = "other", status, milliseconds) {
      const method = methods.has(sent) ? sent : "other";
      const series = byMethod.get(method)?.get(route) ?? addSeries(method, route);
      series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1);
      let bucket = 0;
      while (milliseconds > (boundsMilliseconds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.milliseconds += milliseconds;
    },

    cut(by) {
      cutAnswers[by] += 1;
    },

    refused(refusal) {
      refusals[refusal] += 1;
    },

    /** A copy of what has been counted until now. */
    read() {
      const requests = [...byMethod].flatMap(([method, byRoute]) =>
        [...byRoute].map(([route, { statuses, counts, milliseconds }]) => ({
          method,
          route,
          statuses: new Map(statuses),
          counts: [...counts],
          milliseconds,
        })),
      );
      return { requests, cutAnswers: { ...cutAnswers }, refusals: { ...refusals } };
    },
  };
}
