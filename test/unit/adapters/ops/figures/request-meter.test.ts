import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { describe, test } from "node:test";
import {
  durationBoundsSeconds,
  makeRequestMeter,
} from "../../../../../src/adapters/ops/figures/request-meter.ts";

describe("the request meter", () => {
  test("counts by method, route and status", () => {
    const meter = makeRequestMeter();
    meter.responded("GET", "/a/{id}", 200, 1);
    meter.responded("GET", "/a/{id}", 200, 2);
    meter.responded("GET", "/a/{id}", 404, 3);
    meter.responded("POST", "/a/{id}", 201, 4);
    meter.responded("GET", undefined, 404, 5);
    const seen = meter.read().requests.map(({ method, route, statuses, milliseconds }) => ({
      method,
      route,
      statuses: Object.fromEntries(statuses),
      milliseconds,
    }));
    assert.deepEqual(seen, [
      { method: "GET", route: "/a/{id}", statuses: { 200: 2, 404: 1 }, milliseconds: 6 },
      { method: "POST", route: "/a/{id}", statuses: { 201: 1 }, milliseconds: 4 },
      { method: "GET", route: "other", statuses: { 404: 1 }, milliseconds: 5 },
    ]);
  });

  test("puts a duration into the first bucket whose bound covers it, the bound itself included", () => {
    const bounds = durationBoundsSeconds.map(seconds => seconds * 1_000);
    for (const [bucket, bound] of bounds.entries()) {
      for (const [milliseconds, expected] of [
        [bound, bucket],
        [bound * 1.001, bucket + 1],
      ] as const) {
        const meter = makeRequestMeter();
        meter.responded("GET", "/", 200, milliseconds);
        const counts = meter.read().requests[0]?.counts;
        assert.equal(counts?.length, bounds.length + 1);
        assert.equal(counts?.indexOf(1), expected, `${milliseconds} ms`);
      }
    }
  });

  test("has no more series than methods that matter, whatever methods are sent", () => {
    const meter = makeRequestMeter();
    for (const method of METHODS) meter.responded(method, undefined, 404, 1);
    const series = meter.read().requests.map(({ method }) => method);
    assert.deepEqual(series.sort(), ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "other"]);
  });

  test("counts refusals by what they tell", () => {
    const meter = makeRequestMeter();
    for (const refusal of ["login failed", "login failed", "login throttled"] as const)
      meter.refused(refusal);
    assert.deepEqual(meter.read().refusals, {
      "login failed": 2,
      "login throttled": 1,
      "token refused": 0,
      "role refused": 0,
    });
  });

  test("hands out copies: what was read stays as it was", () => {
    const meter = makeRequestMeter();
    meter.responded("GET", "/", 200, 1);
    const before = meter.read();
    meter.responded("GET", "/", 200, 1);
    meter.refused("login failed");
    assert.equal(before.requests[0]?.statuses.get(200), 1);
    assert.equal(before.requests[0]?.milliseconds, 1);
    assert.equal(before.refusals["login failed"], 0);
    assert.equal(meter.read().requests[0]?.statuses.get(200), 2);
  });
});
