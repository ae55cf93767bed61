import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newAssetFields } from "../../../src/domain/asset.ts";
import { readFields } from "../../../src/domain/field.ts";

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

  for (const name of ["P", "a".repeat(100), wrench.repeat(100)]) {
    test(`may have ${[...name].length} characters in ${name.length} UTF-16 units`, () => {
      assert.equal(create({ name }).name, name);
    });
  }

  for (const name of ["a".repeat(101), wrench.repeat(101)]) {
    test(`may not have ${[...name].length} characters in ${name.length} UTF-16 units`, () => {
      assert.throws(() => create({ name }), refused("Name must be between 1 and 100 characters"));
    });
  }

  test("is trimmed, and measured after that", () => {
    assert.equal(create({ name: `  ${"a".repeat(100)}\n` }).name, "a".repeat(100));
  });

  test("is text", () => assert.throws(() => create({ name: 3 }), refused("Name must be a string")));
});

describe("the description of a new asset", () => {
  for (const absent of [undefined, null]) {
    test(`is empty when ${absent} is sent`, () => {
      assert.equal(create({ description: absent }).description, "");
    });
  }

  for (const description of ["", " as sent\n", "a".repeat(2_000), wrench.repeat(2_000)]) {
    test(`may have ${[...description].length} characters, kept as sent`, () => {
      assert.equal(create({ description }).description, description);
    });
  }

  for (const description of ["a".repeat(2_001), wrench.repeat(2_001)]) {
    test(`may not have 2001 characters in ${description.length} UTF-16 units`, () => {
      const fault = refused("Description must be between 0 and 2000 characters");
      assert.throws(() => create({ description }), fault);
    });
  }

  test("is text", () => {
    assert.throws(() => create({ description: 3 }), refused("Description must be a string"));
  });
});

describe("the activity of a new asset", () => {
  for (const [sent, active] of [
    [undefined, true],
    [null, true],
    [true, true],
    [false, false],
  ] as const) {
    test(`is ${active} when ${sent} is sent`, () => assert.equal(create({ active: sent }).active, active));
  }

  for (const other of ["true", "false", 0, 1, ""]) {
    test(`cannot be ${JSON.stringify(other)}`, () => {
      assert.throws(() => create({ active: other }), refused("Invalid active value"));
    });
  }
});

describe("a new asset", () => {
  test("needs nothing but a name, and ignores what it does not know", () => {
    const sent = { id: 7, lastLogDate: "2024-05-17T08:30:00" };
    assert.deepEqual(create(sent), { name: "Pump 3", description: "", active: true });
  });

  test("says that the name is missing before it judges the rest", () => {
    assert.throws(() => create({ name: null, active: "yes" }), refused("Name is required"));
  });
});
