import type { Refusal, RequestMeter } from "../../../application/figures.ts";

/** Upper bounds of the duration's buckets, in seconds. */
export const durationBoundsSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const bounds = [...durationBoundsSeconds, Number.POSITIVE_INFINITY];

/** The requests with one method for one route since the process started. */
export interface RequestSeries {
  readonly method: string;
  /** The pattern of the route's path; `other` for what found no route. */
  readonly route: string;
  /** How many responses had each status. */
  readonly statuses: Map<number, number>;
  /** The number of requests in each bucket; the last bucket has those above all bounds. */
  readonly counts: number[];
  milliseconds: number;
}

export type RequestFigures = ReturnType<ReturnType<typeof makeRequestMeter>["read"]>;

/** All other methods are counted as `other`. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Counts requests by method, route and status, with their durations. The route table bounds the number of series,
 * whatever clients send.
 */
export function makeRequestMeter() {
  const series = new Map<string, RequestSeries>();
  const refusals: Record<Refusal, number> = {
    "login failed": 0,
    "login throttled": 0,
    "token refused": 0,
    "role refused": 0,
  };
  /** Responses that ended before they were whole, by who ended them. */
  const cutResponses = { client: 0, service: 0 };

  function seriesOf(method: string, route: string): RequestSeries {
    const key = `${method} ${route}`;
    const known = series.get(key);
    if (known !== undefined) return known;
    const added = { method, route, statuses: new Map(), counts: bounds.map(() => 0), milliseconds: 0 };
    series.set(key, added);
    return added;
  }

  return {
    responded(sent, route = "other", status, milliseconds) {
      const one = seriesOf(methods.has(sent) ? sent : "other", route);
      one.statuses.set(status, (one.statuses.get(status) ?? 0) + 1);
      const bucket = bounds.findIndex(seconds => milliseconds <= seconds * 1_000);
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1;
      one.milliseconds += milliseconds;
    },

    cut(by) {
      cutResponses[by] += 1;
    },

    refused(refusal) {
      refusals[refusal] += 1;
    },

    /** A copy of what has been counted until now. */
    read: () => structuredClone({ requests: [...series.values()], cutResponses, refusals }),
  } satisfies RequestMeter & { read(): unknown };
}
