import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bytes, duration, lengthOfTime, percent, rate } from "../../../../../src/adapters/ops/page/format.ts";

describe("the figures of the page", () => {
  for (const [shown, expected] of [
    [lengthOfTime(0), "0 s"],
    [lengthOfTime(0.9), "0 s"],
    [lengthOfTime(59.9), "59 s"],
    [lengthOfTime(60), "1 min"],
    [lengthOfTime(3_599), "59 min 59 s"],
    [lengthOfTime(3_605), "1 h"],
    [lengthOfTime(86_399), "23 h 59 min"],
    [lengthOfTime(86_400 * 3 + 7_260), "3 d 2 h"],
    [duration(undefined), "–"],
    [duration(Number.POSITIVE_INFINITY), "over 10 s"],
    [duration(0.0004), "0.4 ms"],
    [duration(0.00994), "9.9 ms"],
    [duration(0.01), "10 ms"],
    [duration(0.9994), "999 ms"],
    [duration(1), "1.0 s"],
    [percent(0), "0.0 %"],
    [percent(0.0994), "9.9 %"],
    [percent(0.1), "10 %"],
    [rate(9.94), "9.9/s"],
    [rate(10), "10/s"],
    [bytes(1_572_864), "2 MiB"],
  ] as const) {
    test(`are short and have their unit: ${expected}`, () => assert.equal(shown, expected));
  }
});
