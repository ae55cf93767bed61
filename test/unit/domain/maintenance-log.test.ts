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

const refused = (message: string) => ({ name: "DomainError", code: "INVALID", message });
const statuses = ["PENDING", "IN_PROGRESS", "COMPLETED", "CANCELLED"];
const taskTypes = ["PRODUCTION", "MAINTENANCE", "ERROR"];

const log = {
  performedDate: "2024-05-17T08:30:00",
  status: "COMPLETED",
  taskType: "MAINTENANCE",
  comment: "Replaced the seal.",
};
const write = (sent: Readonly<Record<string, unknown>>) => readFields(newLogFields, { ...log, ...sent });

describe("a new log", () => {
  test("gives the date as its readers will see it", () => {
    assert.equal(write({ performedDate: "2024-05-17T08:30" }).performedDate, "2024-05-17T08:30:00");
  });

  for (const performedDate of ["yesterday", "2024-05-17T08:30:00Z", 1_715_934_600]) {
    test(`refuses the date ${JSON.stringify(performedDate)}`, () => {
      assert.throws(
        () => write({ performedDate }),
        refused("Invalid performed date: write YYYY-MM-DDTHH:MM[:SS[.ffffff]], without a zone"),
      );
    });
  }

  test("has one of the statuses and of the task types", () => {
    for (const status of statuses) assert.equal(write({ status }).status, status);
    for (const taskType of taskTypes) assert.equal(write({ taskType }).taskType, taskType);
    assert.throws(() => write({ status: "pending" }), refused("Invalid status value"));
    assert.throws(() => write({ taskType: "REPAIR" }), refused("Invalid task type value"));
  });
});

describe("the filters of the log lists", () => {
  test("narrow nothing when nothing is asked for", () => {
    assert.deepEqual(readFields(logFilterFields, {}), {
      status: undefined,
      taskType: undefined,
      performedFrom: undefined,
      performedTo: undefined,
    });
  });

  test("take the words of a log, and no others", () => {
    assert.equal(readFields(logFilterFields, { status: "CANCELLED" }).status, "CANCELLED");
    for (const name of ["status", "taskType"]) {
      assert.throws(() => readFields(logFilterFields, { [name]: "" }), { code: "INVALID" });
    }
  });
});

describe("the period of the log lists", () => {
  for (const name of ["performedFrom", "performedTo"] as const) {
    test(`takes ${name} as a local date-time, in the form that clients see`, () => {
      assert.equal(
        readFields(logFilterFields, { [name]: "2024-05-17T08:30:00.50" })[name],
        "2024-05-17T08:30:00.5",
      );
    });

    for (const value of ["", "2024-05-17", "2024-02-30T00:00", "2024-05-17T08:30Z", ["2024-05-17T08:30"]]) {
      test(`refuses ${name} ${JSON.stringify(value)}`, () => {
        assert.throws(
          () => readFields(logFilterFields, { [name]: value }),
          refused(`Invalid ${name} value: write YYYY-MM-DDTHH:MM[:SS[.ffffff]], without a zone`),
        );
      });
    }
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

describe("the limit of the logs of active assets", () => {
  const limitOf = (limit: unknown) => readFields(activeAssetsFields, { limit }).limit;

  test("is 10 when none is asked for", () => assert.equal(limitOf(undefined), 10));

  for (const [sent, limit] of [
    ["1", 1],
    ["999", 999],
    ["1000", 1_000],
    ["1001", 1_001],
    ["007", 7],
    ["99999999999", 99_999_999_999],
    ["9".repeat(400), Number.POSITIVE_INFINITY],
  ] as const) {
    test(`may be ${sent}`, () => assert.equal(limitOf(sent), limit));
  }

  const others = ["0", "00", "-1", "+1", "1.5", "1e2", "0x10", "", " ", " 5", "5 ", "ten", "NaN"];
  for (const other of [...others, "\u0661", ["5", "5"], ["5"]]) {
    test(`may not be ${JSON.stringify(other)}`, () => {
      assert.throws(() => limitOf(other), refused("Invalid limit value"));
    });
  }
});
