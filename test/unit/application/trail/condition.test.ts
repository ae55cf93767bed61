import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  conditionAfter,
  firstPoll,
  TrailObstacleError,
} from "../../../../src/application/trail/condition.ts";
import { DomainError } from "../../../../src/domain/error.ts";
import { TrailError } from "../../../../src/domain/trail/encoding.ts";

const refused = Object.assign(new Error('permission denied for table trail_entry: insert into "x"'), {
  code: "42501",
});
const away = new DomainError("UNAVAILABLE", "The database is not available", {
  cause: new Error("ECONNREFUSED 10.0.0.7"),
});

describe("the condition of the trail", () => {
  for (const [what, error, kind, why] of [
    ["nothing", undefined, "whole", ""],
    [
      "a tree that contradicts what was signed",
      new TrailError("database 3 AAA="),
      "contradicted",
      "database 3 AAA=",
    ],
    [
      "a state file that is missing",
      new TrailObstacleError("for the operator", "waiting"),
      "waiting",
      "for the operator",
    ],
    ["a state file that cannot be written", new TrailObstacleError("EACCES", "failing"), "failing", "EACCES"],
    ["a right that is missing", refused, "failing", "PostgreSQL refuses a statement (42501)"],
    ["a database that is away", away, "failing", "the database is not available"],
    [
      "a fault of the program",
      new TypeError("x of undefined at /srv/app.js"),
      "failing",
      "an unexpected error, which the log has",
    ],
  ] as const) {
    test(`after ${what} is ${kind}, in words without paths, SQL and messages of drivers`, () => {
      assert.deepEqual(conditionAfter(firstPoll(5), error, 7), {
        kind,
        why,
        since: kind === "waiting" ? 5 : 7,
      });
    });
  }

  test("is the same value while nothing changes, and keeps its beginning while only the reason changes", () => {
    const failing = conditionAfter(firstPoll(0), refused, 10);
    assert.equal(conditionAfter(failing, refused, 20), failing);
    assert.deepEqual(conditionAfter(failing, away, 30), { ...failing, why: "the database is not available" });
    assert.equal(conditionAfter(failing, undefined, 40).since, 40);
  });
});
