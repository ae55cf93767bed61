import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buckets,
  by,
  counter,
  gauge,
  histogram,
} from "../../../../../src/adapters/ops/metrics/exposition.ts";
import { noPromtool, readMetrics, runPromtool } from "../../../../support/prometheus.ts";

const apples = counter("apples_total", "Apples.", [
  [{ colour: "red", size: "1" }, 3],
  [{ colour: "green", size: "1" }, 0],
]);
const waits = histogram("wait_seconds", "Waits.", [
  ...buckets({ door: "a" }, [0.5, 2], [1, 2, 3], 12.5),
  ...buckets({ door: "b" }, [0.5, 2], [0, 0, 0], 0),
]);
const levels = gauge("level", "Level.", by("i", { 0: 1e21, 1: 1e-7, 2: -2.5 }));

// test/unit/adapters/ops/metrics/metrics.txt shows the rest of the format.
describe("the exposition format", () => {
  test("escapes backslashes, line breaks and quotes in labels", () => {
    const text = gauge("odd", "Odd.", [[{ label: 'a"b\\c\nd}e,f="g"' }, 1]]);
    assert.match(text, /^odd\{label="a\\"b\\\\c\\nd\}e,f=\\"g\\""\} 1$/m);
  });

  const all = apples + waits + levels;

  test("is read by the reader of the other tests, which refuses a broken one", () => {
    const samples = readMetrics(all);
    assert.equal(samples.size, 15);
    assert.equal(samples.get('wait_seconds_bucket{door="a",le="+Inf"}'), 6);
    assert.equal(samples.get('level{i="2"}'), -2.5);
    for (const [from, to] of [
      ['size="1"', 'size="1'],
      ["# TYPE apples_total counter\n", "# TYPE pears_total counter\n"],
      ["# TYPE apples_total counter", "# TYPE apples_total count"],
      ['colour="green"', 'colour="red"'],
      ['"} 3\n', '"} three\n'],
      ["wait_seconds_sum", "wait_seconds_total"],
    ] as const) {
      assert.ok(all.includes(from));
      assert.throws(() => readMetrics(all.replace(from, to)), `${from} became ${to}`);
    }
  });

  test("is accepted by Prometheus's own checker, which refuses a broken one", t => {
    const verdict = runPromtool(["check", "metrics"], all);
    if (verdict === undefined) return t.skip(noPromtool);
    assert.deepEqual(verdict, { status: 0, output: "" });
    assert.notEqual(runPromtool(["check", "metrics"], all.replaceAll('"2"', '"2'))?.status, 0);
  });
});
