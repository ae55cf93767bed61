import assert from "node:assert/strict";
import { test } from "node:test";
import { activityFilterFields, readActive } from "../../../src/domain/activity.ts";
import { readFields } from "../../../src/domain/field.ts";

const refused = {
  name: "DomainError",
  code: "INVALID",
  message: "Invalid active value: write true or false",
};

test("the active flag of a body is a boolean", () => {
  for (const flag of [true, false]) assert.equal(readActive(flag), flag);
  for (const other of ["true", "false", "", 0, 1, [], {}, null])
    assert.throws(() => readActive(other), refused, JSON.stringify(other));
});

test("the active filter of a query is the word true or false, and narrows nothing when absent", () => {
  const read = (active: unknown) => readFields(activityFilterFields, { active }).active;
  assert.deepEqual(["true", "false", undefined].map(read), [true, false, undefined]);
  for (const other of ["", "TRUE", "False", "1", "0", "yes", " true", true, false, ["true"]])
    assert.throws(() => read(other), refused, JSON.stringify(other));
});
