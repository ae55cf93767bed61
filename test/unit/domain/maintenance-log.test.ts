import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readFields } from "../../../src/domain/field.ts";
import {
  activeAssetsFields,
  compareNewestFirst,
  logFilterFields,
  newLogFields,
  startOf,
} from "../../../src/domain/maintenance-log.ts";
import { aLog } from "../../support/test-records.ts";

const refused = (message: string) => ({ name: "DomainError", code: "INVALID", message });
const form = "write YYYY-MM-DDTHH:MM[:SS[.ffffff]], without a zone";

test("a new log has the date as its readers will see it, and one of the statuses and of the task types", () => {
  const write = (sent: object) => readFields(newLogFields, { ...aLog(), ...sent });
  assert.equal(write({ performedDate: "2024-05-17T08:30" }).performedDate, "2024-05-17T08:30:00");
  assert.throws(() => write({ performedDate: "yesterday" }), refused(`Invalid performed date: ${form}`));
  for (const status of ["PENDING", "IN_PROGRESS", "COMPLETED", "CANCELLED"])
    assert.equal(write({ status }).status, status);
  for (const taskType of ["PRODUCTION", "MAINTENANCE", "ERROR"])
    assert.equal(write({ taskType }).taskType, taskType);
  assert.throws(() => write({ status: "pending" }), refused("Invalid status value"));
  assert.throws(() => write({ taskType: "REPAIR" }), refused("Invalid task type value"));
});

test("the period of the log lists has local date-times, in the form that clients see", () => {
  for (const name of ["performedFrom", "performedTo"] as const) {
    const read = (value: unknown) => readFields(logFilterFields, { [name]: value })[name];
    assert.equal(read("2024-05-17T08:30:00.50"), "2024-05-17T08:30:00.5");
    for (const value of ["", "2024-05-17", "2024-05-17T08:30Z", ["2024-05-17T08:30"]])
      assert.throws(() => read(value), refused(`Invalid ${name} value: ${form}`));
  }
});

describe("the order of the lists", () => {
  const at = (performedDate: string, id: number) => ({ performedDate, id });

  test("is newest first, and among logs of one moment by id descending", () => {
    const sorted = [
      at("2024-05-17T08:30:00.5", 1),
      at("2024-05-17T08:30:00.123456", 2),
      at("2024-05-17T08:30:00", 10),
      at("2024-05-17T08:30:00", 9),
      at("0999-01-01T00:00:00", 11),
    ];
    assert.deepEqual(sorted.toReversed().sort(compareNewestFirst), sorted);
    assert.equal(compareNewestFirst(at("2024-05-17T08:30:00", 1), at("2024-05-17T08:30:00", 1)), 0);
  });

  test("begins after the position or the end of the period, whichever is further on", () => {
    const before = at("2024-05-17T08:30:00", 5);
    assert.equal(startOf({}), undefined);
    assert.deepEqual(startOf({ before }), before);
    for (const [performedTo, start] of [
      ["2024-05-17T08:30:00.000001", before],
      ["2024-05-17T08:30:00", at("2024-05-17T08:30:00", 0)],
      ["2024-05-17T08:29:59", at("2024-05-17T08:29:59", 0)],
    ] as const) {
      assert.deepEqual(startOf({ before, performedTo }), start);
    }
    assert.deepEqual(startOf({ performedTo: "2024-05-17T08:30:00" }), at("2024-05-17T08:30:00", 0));
  });
});

test("the limit of the logs of active assets is a whole number from 1, and 10 when none is asked for", () => {
  const limitOf = (limit: unknown) => readFields(activeAssetsFields, { limit }).limit;
  assert.equal(limitOf(undefined), 10);
  for (const sent of ["1", "999", "1000", "1001", "007", "99999999999"])
    assert.equal(limitOf(sent), Number(sent));
  assert.equal(limitOf("9".repeat(400)), Number.POSITIVE_INFINITY);
  const others = ["0", "00", "-1", "+1", "1.5", "1e2", "0x10", "", " ", " 5", "5 ", "ten", "NaN", "\u0661"];
  for (const other of [...others, ["5", "5"], ["5"]])
    assert.throws(() => limitOf(other), refused("Invalid limit value"), String(other));
});
