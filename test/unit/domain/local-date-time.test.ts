import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { localDateTime } from "../../../src/domain/local-date-time.ts";

const read = localDateTime("Invalid performed date");

/** Beside the property (test/unit/properties.test.ts), which holds dates and fractions of seconds against a calendar. */
const accepted: readonly (readonly [sent: string, seen: string])[] = [
  ["2024-05-17T08:30", "2024-05-17T08:30:00"],
  ["2024-05-17T08:30:15.123456789", "2024-05-17T08:30:15.123456"],
  ["2024-05-17T08:30:15.100000999", "2024-05-17T08:30:15.1"],
  ["2024-02-29T12:00", "2024-02-29T12:00:00"],
  ["0001-01-01T00:00", "0001-01-01T00:00:00"],
  ["9999-12-31T23:59", "9999-12-31T23:59:00"],
  // An hour that does not exist, or comes twice, where clocks are changed.
  ["2024-03-31T02:30:00", "2024-03-31T02:30:00"],
  ["2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  ["2024-10-27T02:30:00", "2024-10-27T02:30:00"],
];

const refused: readonly (readonly [why: string, sent: unknown])[] = [
  ["a zone", "2024-05-17T08:30:00Z"],
  ["a zone in lower case", "2024-05-17T08:30:00z"],
  ["an offset", "2024-05-17T08:30:00+02:00"],
  ["a negative offset", "2024-05-17T08:30:00-05"],
  ["a date alone", "2024-05-17"],
  ["a time alone", "08:30:00"],
  ["an hour alone", "2024-05-17T08"],
  ["a space for the T", "2024-05-17 08:30:00"],
  ["a t in lower case", "2024-05-17t08:30:00"],
  ["the basic format", "20240517T083000"],
  ["a week date", "2024-W20-5T08:30"],
  ["a year of five digits", "12024-05-17T08:30"],
  ["a signed year", "+2024-05-17T08:30"],
  ["a year of two digits", "24-05-17T08:30"],
  ["a month of one digit", "2024-5-17T08:30"],
  ["a fraction without digits", "2024-05-17T08:30:00."],
  ["a fraction after a comma", "2024-05-17T08:30:00,5"],
  ["a fraction of a minute", "2024-05-17T08:30.5"],
  ["leading whitespace", " 2024-05-17T08:30"],
  ["a trailing line break", "2024-05-17T08:30\n"],
  ["digits that are not ASCII", "\u0662\u0660\u0662\u0664-05-17T08:30"],
  ["no text", ""],
  ["words", "now"],
  ["a number", 1_715_934_600_000],
  ["a list", ["2024-05-17T08:30"]],
  ["a list of numbers", [2024, 5, 17, 8, 30]],
  ["a boolean", true],
  ["null", null],
];

describe("reading a local date-time", () => {
  for (const [sent, seen] of accepted) {
    test(`${sent} is seen as ${seen}, which can be sent back`, () => {
      for (const each of [sent, seen]) assert.equal(read(each), seen);
    });
  }

  const message = "Invalid performed date: write YYYY-MM-DDTHH:MM[:SS[.ffffff]], without a zone";
  for (const [why, sent] of refused) {
    test(`${why} is refused`, () =>
      assert.throws(() => read(sent), { name: "DomainError", code: "INVALID", message }));
  }
});
