import type { Reading } from "../../src/adapters/ops/figures/reading.ts";
import { durationBoundsSeconds, makeRequestMeter } from "../../src/adapters/ops/figures/request-meter.ts";
import type { OpsResponse } from "../../src/adapters/ops/ops-server.ts";
import { policyOf } from "../../src/adapters/ops/page/html.ts";
import { statusPage } from "../../src/adapters/ops/page/status-page.ts";

export type Meter = ReturnType<typeof makeRequestMeter>;

/** A reading of a service that does well, with what a meter has counted. */
export function readingOf(meter: Meter, uptimeSeconds: number, changes: Partial<Reading> = {}): Reading {
  const startedAtSeconds = Date.UTC(2026, 10, 21, 9) / 1_000;
  return {
    at: new Date((startedAtSeconds + uptimeSeconds) * 1_000),
    version: "1.0.0",
    ...meter.read(),
    droppedLogLines: 0,
    http: {
      connections: 42,
      requests: 3,
      bodyBytes: 0,
      responseBytes: 0,
      turnedAway: { requests: 0, bodies: 0, connections: 0, slowClients: 0 },
    },
    certificate: undefined,
    database: { inUse: 2, idle: 3, limit: 10, waiting: 0 },
    passwords: { working: 1, workingLimit: 2, waiting: 0, waitingLimit: 200 },
    trail: {
      size: 273_481,
      isSigned: true,
      checkpointSize: 273_481,
      checkpointAgeSeconds: 0.4,
      condition: { kind: "whole", since: 0, why: "" },
      pollAgeSeconds: 0.4,
      waitingRecords: 0,
      transactionWaitSeconds: 0.5,
    },
    runtime: {
      nodeVersion: "v24.0.0",
      startedAtSeconds,
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
    for (let i = 0; i < count; i += 1) meter.responded("GET", "/logs", 200, milliseconds);
  }
  return meter;
}

/** The page of a service at work for more than ten minutes, with one thing that calls for attention. */
export function makeBusyPage(path = "/"): string {
  const meter = makeRequestMeter();
  const history: Reading[] = [];
  const routes: readonly [method: string, route: string, share: number, milliseconds: number][] = [
    ["GET", "/api/v1/logs/{id}", 0.4, 0.4],
    ["GET", "/api/v1/assets/{id}", 0.25, 0.5],
    ["POST", "/api/v1/assets/{id}/logs", 0.2, 2.2],
    ["GET", "/api/v1/assets/{id}/logs", 0.1, 6],
    ["GET", "/api/v1/logs/active-assets", 0.03, 12],
    ["POST", "/api/v1/auth/login", 0.015, 17],
    ["GET", "/api/v1/logs", 0.005, 480],
  ];
  for (let i = 0; i <= 62; i += 1) {
    // A wave with a dip in it, in which a part fails.
    const isDip = i > 40 && i < 45;
    const requests = Math.round(1_400 + 500 * Math.sin(i / 9) + 150 * Math.sin(i * 1.7) - (isDip ? 350 : 0));
    for (const [method, route, share, milliseconds] of routes) {
      for (let n = 0; n < requests * share; n += 1) {
        const status = isDip && n % 3 === 0 ? 503 : method === "GET" ? 200 : 201;
        meter.responded(method, route, status, milliseconds * (n % 50 === 0 ? 6 : 0.5 + (n % 10) / 10));
      }
    }
    for (let n = 0; i > 57 && n < 4; n += 1) meter.refused("login failed");
    history.push(readingOf(meter, 273_000 + i * 10));
  }
  const now = history.pop() ?? readingOf(meter, 0);
  return statusPage(
    path,
    { ready: true, checks: { service: "ok", database: "ok", schema: "ok" } },
    now,
    history,
  );
}

export const answerOf = (text: string): OpsResponse => ({
  status: 200,
  headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policyOf(text) },
  text,
});
