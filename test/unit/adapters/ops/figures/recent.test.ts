import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  between,
  quantile,
  type RecentRoute,
  ratio,
} from "../../../../../src/adapters/ops/figures/recent.ts";
import { makeRequestMeter } from "../../../../../src/adapters/ops/figures/request-meter.ts";
import { meterOf, readingOf } from "../../../../support/readings.ts";

const seriesOf = (counts: readonly number[]): RecentRoute =>
  between(readingOf(makeRequestMeter(), 0), readingOf(meterOf(counts), 1)).routes[0] as RecentRoute;

describe("what happened between two readings", () => {
  test("is the difference of what they counted, also for a route that was new", () => {
    const meter = makeRequestMeter();
    meter.responded("GET", "/a", 200, 1);
    meter.responded("GET", "/a", 503, 1);
    meter.refused("login failed");
    const earlier = readingOf(meter, 100);
    meter.responded("GET", "/a", 503, 2);
    meter.responded("POST", "/b", 201, 30);
    meter.refused("login failed");
    meter.refused("login failed");
    const turnedAway = { requests: 1, bodies: 0, connections: 2, slowClients: 3 };
    const later = readingOf(meter, 160, {
      http: { connections: 0, requests: 0, bodyBytes: 0, responseBytes: 0, turnedAway },
    });
    const recent = between(earlier, later);
    assert.deepEqual(
      recent.routes.map(({ route, requests, failures }) => [route, requests, failures]),
      [
        ["/a", 1, 1],
        ["/b", 1, 0],
      ],
    );
    assert.deepEqual([recent.seconds, recent.requests, recent.failures, recent.turnedAway], [60, 2, 1, 6]);
    assert.deepEqual([recent.refused("login failed"), recent.refused("token refused")], [2, 0]);
    assert.ok(Math.abs(recent.cpuShare - 0.3) < 1e-9);
  });

  test("is nothing when no time has passed", () => {
    const reading = readingOf(makeRequestMeter(), 100);
    assert.equal(between(reading, reading).cpuShare, 0);
    assert.equal(ratio(1, 0), 0);
  });
});

describe("a quantile", () => {
  test("lies within the bucket that the wanted request is in, in proportion", () => {
    // 100 requests of at most 0.5 ms, 100 of at most 1 ms.
    const series = seriesOf([100, 100]);
    assert.equal(quantile(0.25, series), 0.00025);
    assert.equal(quantile(0.5, series), 0.0005);
    assert.equal(quantile(0.75, series), 0.00075);
    assert.equal(quantile(1, series), 0.001);
  });

  test("skips empty buckets", () => {
    assert.equal(quantile(0.5, seriesOf([0, 0, 0, 10])), 0.0025 + (0.005 - 0.0025) * 0.5);
    assert.equal(quantile(0, seriesOf([0, 10])), 0.0005);
  });

  test("is past all bounds when the wanted request is, and is not known without requests", () => {
    const slow = seriesOf([...Array(14).fill(0), 3]);
    assert.equal(quantile(0.5, slow), Number.POSITIVE_INFINITY);
    assert.equal(quantile(0.5, { ...slow, requests: 0, counts: slow.counts.map(() => 0) }), undefined);
  });
});
