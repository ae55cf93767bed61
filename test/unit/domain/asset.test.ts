import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newAssetFields } from "../../../src/domain/asset.ts";
import { readFields } from "../../../src/domain/field.ts";
import { anAsset } from "../../support/test-records.ts";

const refused = (message: string) => ({ name: "DomainError", code: "INVALID", message });
const create = (sent: Readonly<Record<string, unknown>>) =>
  readFields(newAssetFields, { name: "Pump 3", ...sent });
const wrench = "\u{1f527}";

describe("the name of a new asset", () => {
  for (const blank of [undefined, null, "", "  \t"]) {
    test(`is required, and ${JSON.stringify(blank)} is none`, () => {
      assert.throws(() => create({ name: blank }), refused("Name is required"));
    });
  }

  test("has 1 to 100 characters after it is trimmed, of one or two UTF-16 units", () => {
    assert.equal(create({ name: ` ${wrench.repeat(100)}\n` }).name, wrench.repeat(100));
    const fault = refused("Name must be between 1 and 100 characters");
    assert.throws(() => create({ name: wrench.repeat(101) }), fault);
  });
});

describe("the description of a new asset", () => {
  test("may be absent, or has up to 2,000 characters, kept as sent", () => {
    assert.equal(create({ description: null }).description, "");
    for (const description of ["", " as sent\n", wrench.repeat(2_000)]) {
      assert.equal(create({ description }).description, description);
    }
    const fault = refused("Description must be between 0 and 2000 characters");
    assert.throws(() => create({ description: wrench.repeat(2_001) }), fault);
  });
});

test("a new asset is active unless it is said that it is not", () => {
  for (const [active, expected] of [
    [undefined, true],
    [null, true],
    [false, false],
  ])
    assert.equal(create({ active }).active, expected);
});

describe("a new asset", () => {
  test("needs nothing but a name, and ignores what it does not know", () => {
    const sent = { id: 7, lastLogDate: "2024-05-17T08:30:00" };
    assert.deepEqual(create(sent), anAsset({ name: "Pump 3" }));
  });

  test("says that the name is missing before it judges the rest", () => {
    assert.throws(() => create({ name: null, active: "yes" }), refused("Name is required"));
  });
});
