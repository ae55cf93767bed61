import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canonicalJson } from "../../../src/domain/trail/canonical-json.ts";
import { between, makeRandom } from "../../faults/random.ts";

describe("canonical JSON", () => {
  /** Inputs and outputs of the test data of github.com/cyberphone/json-canonicalization, to which RFC 8785 refers. */
  for (const [name, input, output] of [
    ["arrays", '[56, {"d": true, "10": null, "1": []}]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      "french",
      '{"peach": "This sorting order", "péché": "is wrong according to French", "pêche": "but canonicalization MUST", "sin": "ignore locale"}',
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    ],
    [
      "structures",
      '{"1": {"f": {"f": "hi","F": 5} ,"\\n": 56.0}, "10": {}, "": "empty", "a": {}, "111": [{"e": "yes","E": "no"}], "A": {}}',
      '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
    ],
    ["unicode", '{"Unnormalized Unicode": "A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
    [
      "values",
      '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/", "literals": [null, true, false]}',
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ],
    [
      "weird",
      '{"\\u20ac": "Euro Sign", "\\r": "Carriage Return", "\\u000a": "Newline", "1": "One", "\\u0080": "Control\\u007f", "\\ud83d\\ude02": "Smiley", "\\u00f6": "Latin Small Letter O With Diaeresis", "\\ufb33": "Hebrew Letter Dalet With Dagesh", "</script>": "Browser Challenge"}',
      '{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ],
  ] as const) {
    test(`is that of the published vector: ${name}`, () => {
      assert.equal(canonicalJson(JSON.parse(input)), output);
    });
  }

  /** RFC 8785, appendix B: the bits of a double, and its text. */
  for (const [bits, text] of [
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ] as const) {
    test(`writes the number of RFC 8785, appendix B: ${text}`, () => {
      assert.equal(canonicalJson(Buffer.from(bits, "hex").readDoubleBE()), text);
    });
  }

  test("refuses what has no canonical form", () => {
    for (const value of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      "\ud800",
      "a\udc00b",
      { "\ud83d": 1 },
      undefined,
      { a: undefined },
      1n,
      () => 1,
      Symbol("a"),
      new Map(),
      new Uint8Array(1),
    ]) {
      assert.throws(() => canonicalJson(value), { name: "TrailError" }, String(value));
    }
  });

  test("is what JSON.parse reads back, and the same for any order of the members", () => {
    const random = makeRandom(8785);
    const below = (end: number): number => between(random, 0, end - 1);
    const character = () => String.fromCodePoint(below(0x30000));
    const word = () =>
      Array.from({ length: below(6) }, character)
        .join("")
        .toWellFormed();
    for (let round = 0; round < 500; round += 1) {
      const members = Array.from(
        { length: below(8) },
        () => [word(), [word(), below(1e9), null, true]] as const,
      );
      const value = Object.fromEntries(members);
      const shuffled = Object.fromEntries(Object.entries(value).sort(() => below(3) - 1));
      assert.equal(canonicalJson(shuffled), canonicalJson(value));
      assert.deepEqual(JSON.parse(canonicalJson(value)), value);
    }
  });
});
