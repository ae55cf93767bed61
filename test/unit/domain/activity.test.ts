import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { activityFilterFields, readActive } from "../../../src/domain/activity.ts";
import { readFields } from "../../../src/domain/field.ts";

const refused = {
  name: "DomainError",
  code: "INVALID",
  message: "Invalid active value: write true or false",
};

describe("the active flag of a body", () => {
  test("is a boolean", () => {
    assert.equal(readActive(true), true);
    assert.equal(readActive(false), false);
  });

  for (const other of ["true", "false", "", 0, 1, [], {}, null]) {
    test(`is not ${JSON.stringify(other)}`, () => assert.throws(() => readActive(other), refused));
  }
});

describe("the active filter of a query", () => {
  const read = (active: unknown) => readFields(activityFilterFields, { active }).active;

  test("is the word true or false", () => {
    assert.equal(read("true"), true);
    assert.equal(read("false"), false);
  });

  test("narrows nothing when absent", () => assert.equal(read(undefined), undefined));

  for (const other of [
    "",
    "TRUE",
    "False",
    "1",
    "0",
    "yes",
    " true",
    true,
    false,
    ["true", "false"],
    ["true"],
  ]) {
    test(`is not ${JSON.stringify(other)}`, () => assert.throws(() => read(other), refused));
  }
});
