import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { drawChart } from "../../../bench/chart.ts";
import { median } from "../../../bench/measure.ts";
import { replaceSection } from "../../../bench/report.ts";

describe("the page of the bench", () => {
  const page =
    "before\n<!-- bench: a -->\nold\n<!-- /bench: a -->\nafter <!-- bench: b -->\n<!-- /bench: b -->\n";

  test("gets a section between its markers, and keeps the rest", () => {
    const replaced = replaceSection(page, "a", "new");
    assert.equal(
      replaced,
      "before\n<!-- bench: a -->\n\nnew\n\n<!-- /bench: a -->\nafter <!-- bench: b -->\n<!-- /bench: b -->\n",
    );
    assert.equal(replaceSection(replaced, "a", "new"), replaced);
  });

  test("without a place for the section is refused", () => {
    assert.throws(() => replaceSection(page, "c", "new"), /no place for c/);
  });

  test("has a place for each section", () => {
    const written = readFileSync("docs/performance.md", "utf8");
    for (const name of ["machine", "table", "flood", "connections", "growth", "first-byte", "plans", "trail"])
      assert.doesNotThrow(() => replaceSection(written, name, ""), name);
  });
});

describe("a chart", () => {
  const svg = drawChart({
    title: "Time & <place>",
    xLabel: "logs",
    yLabel: "µs",
    series: [
      { name: "flat", points: [1e4, 1e5, 1e6].map(x => [x, 50]) },
      { name: "linear", points: [1e4, 1e5, 1e6].map(x => [x, x / 100]) },
    ],
  });
  const dots = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ]);

  test("has axes that are logarithmic, with the origin at the lower left", () => {
    const [flat, linear] = [dots.slice(0, 3), dots.slice(3)];
    const steps = (points: typeof dots, axis: 0 | 1) =>
      points.slice(1).map((point, i) => Math.round((point[axis] ?? 0) - (points[i]?.[axis] ?? 0)));
    const [first = 0, second] = steps(flat, 0);
    assert.ok(first > 0 && first === second);
    assert.deepEqual(steps(flat, 1), [0, 0]);
    const [up = 0, again] = steps(linear, 1);
    assert.ok(up < 0 && up === again);
  });

  test("names its title, axes and series, escaped", () => {
    for (const text of ["Time &amp; &lt;place>", ">logs<", ">µs<", ">flat<", ">linear<", ">100k<"])
      assert.ok(svg.includes(text), text);
    assert.ok(!svg.includes("NaN"));
  });
});

test("a median is one of the values, the lower of two", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2);
});
