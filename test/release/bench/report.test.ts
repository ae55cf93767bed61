import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { median } from "../../../bench/measure.ts";
import { replaceSection } from "../../../bench/report.ts";

describe("the page of the bench", () => {
  const page =
    "before\n<!-- bench: a -->\nold\n<!-- /bench: a -->\nafter <!-- bench: b -->\n<!-- /bench: b -->\n";

  test("gets a section between its markers, and keeps the rest", () => {
    const replaced = replaceSection(page, "a", "new") ?? "";
    assert.equal(
      replaced,
      "before\n<!-- bench: a -->\nnew\n<!-- /bench: a -->\nafter <!-- bench: b -->\n<!-- /bench: b -->\n",
    );
    assert.equal(replaceSection(replaced, "a", "new"), replaced);
  });

  test("has no place for a section that it leaves to the terminal", () => {
    assert.equal(replaceSection(page, "c", "new"), undefined);
  });

  test("has a place for the others", () => {
    const written = readFileSync("docs/performance.md", "utf8");
    for (const name of ["machine", "table"])
      assert.notEqual(replaceSection(written, name, ""), undefined, name);
  });
});

test("a median is one of the values, the lower of two", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2);
});
