import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Family, formatFamilies } from "../../../../src/adapters/ops/metrics/exposition.ts";
import { noPromtool, readMetrics, runPromtool } from "../../../support/prometheus.ts";

const counter: Family = {
  name: "apples_total",
  help: "Apples.",
  type: "counter",
  samples: [
    { labels: { colour: "red", size: "1" }, value: 3 },
    { labels: { colour: "green", size: "1" }, value: 0 },
  ],
};
const histogram: Family = {
  name: "wait_seconds",
  help: "Waits.",
  type: "histogram",
  bounds: [0.5, 2],
  distributions: [
    { labels: { door: "a" }, counts: [1, 2, 3], sum: 12.5 },
    { labels: { door: "b" }, counts: [0, 0, 0], sum: 0 },
  ],
};
const gauges = (values: readonly number[]): Family => ({
  name: "level",
  help: "Level.",
  type: "gauge",
  samples: values.map((value, i) => ({ labels: { i: String(i) }, value })),
});

describe("the exposition format", () => {
  test("has a help line, a type line, and a line for each sample", () => {
    assert.equal(
      formatFamilies([counter]),
      `# HELP apples_total Apples.
# TYPE apples_total counter
apples_total{colour="red",size="1"} 3
apples_total{colour="green",size="1"} 0
`,
    );
  });

  test("writes a sample without labels without braces", () => {
    const text = formatFamilies([{ name: "up", help: "Up.", type: "gauge", samples: [{ value: 1 }] }]);
    assert.match(text, /^up 1$/m);
  });

  test("makes buckets cumulative, ends them with +Inf, and counts what +Inf counts", () => {
    assert.equal(
      formatFamilies([histogram]),
      `# HELP wait_seconds Waits.
# TYPE wait_seconds histogram
wait_seconds_bucket{door="a",le="0.5"} 1
wait_seconds_bucket{door="a",le="2"} 3
wait_seconds_bucket{door="a",le="+Inf"} 6
wait_seconds_sum{door="a"} 12.5
wait_seconds_count{door="a"} 6
wait_seconds_bucket{door="b",le="0.5"} 0
wait_seconds_bucket{door="b",le="2"} 0
wait_seconds_bucket{door="b",le="+Inf"} 0
wait_seconds_sum{door="b"} 0
wait_seconds_count{door="b"} 0
`,
    );
  });

  test("escapes backslashes and line breaks, and in labels quotes too", () => {
    const label = 'a"b\\c\nd}e,f="g"';
    const text = formatFamilies([
      {
        name: "odd",
        help: 'A "help"\nof \\ two lines',
        type: "gauge",
        samples: [{ labels: { label }, value: 1 }],
      },
    ]);
    assert.equal(
      text,
      `# HELP odd A "help"\\nof \\\\ two lines
# TYPE odd gauge
odd{label="a\\"b\\\\c\\nd}e,f=\\"g\\""} 1
`,
    );
  });

  test("writes numbers as Prometheus reads them", () => {
    const { POSITIVE_INFINITY, NEGATIVE_INFINITY, NaN: nothing } = Number;
    const text = formatFamilies([gauges([POSITIVE_INFINITY, NEGATIVE_INFINITY, nothing, 1e21, 1e-7, -2.5])]);
    assert.deepEqual(
      text
        .split("\n")
        .slice(2, -1)
        .map(line => line.split(" ")[1]),
      ["+Inf", "-Inf", "NaN", "1e+21", "1e-7", "-2.5"],
    );
  });

  const all = formatFamilies([counter, histogram, gauges([1e21, 1e-7, -2.5])]);

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
