import type { Reading } from "../../src/adapters/ops/reading.ts";
import { durationBoundsSeconds, makeRequestMeter } from "../../src/adapters/ops/request-meter.ts";

export type Meter = ReturnType<typeof makeRequestMeter>;

/** A reading of a service that does well, with what a meter has counted. */
export function readingOf(meter: Meter, uptimeSeconds: number, changes: Partial<Reading> = {}): Reading {
  const startedAtSeconds = Date.UTC(2026, 10, 21, 9) / 1_000;
  return {
    at: new Date((startedAtSeconds + uptimeSeconds) * 1_000),
    startedAtSeconds,
    version: "1.0.0",
    nodeVersion: "v24.0.0",
    ...meter.read(),
    http: { connections: 42, requests: 3, turnedAway: { requests: 0, connections: 0, slowClients: 0 } },
    database: { inUse: 2, idle: 3, limit: 10, waiting: 0 },
    passwords: { working: 1, workingLimit: 2, waiting: 0, waitingLimit: 200 },
    runtime: {
      uptimeSeconds,
      cpuSeconds: uptimeSeconds * 0.3,
      residentBytes: 140 * 2 ** 20,
      heapUsedBytes: 60 * 2 ** 20,
      heapLimitBytes: 4_144 * 2 ** 20,
      externalBytes: 5 * 2 ** 20,
      eventLoopDelay: { medianSeconds: 0.0001, p99Seconds: 0.004, maxSeconds: 0.021 },
    },
    ...changes,
  };
}

/** A meter that has seen one route, with so many requests in each of its buckets. */
export function meterOf(counts: readonly number[]): Meter {
  const meter = makeRequestMeter();
  for (const [bucket, count] of counts.entries()) {
    const milliseconds = (durationBoundsSeconds[bucket] ?? 20) * 1_000;
    for (let i = 0; i < count; i += 1) meter.answered("GET", "/logs", 200, milliseconds);
  }
  return meter;
}
