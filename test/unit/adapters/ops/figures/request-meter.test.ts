import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { describe, test } from "node:test";
import {
  durationBoundsSeconds,
  makeRequestMeter,
} from "../../../../../src/adapters/ops/figures/request-meter.ts";

describe("the request meter", () => {
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
});
