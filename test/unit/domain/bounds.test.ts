import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { newAssetFields } from "../../../src/domain/asset.ts";
import {
  employeeChangeFields,
  passwordChangeFields,
  registrationFields,
} from "../../../src/domain/employee.ts";
import { newLogFields } from "../../../src/domain/maintenance-log.ts";

const emailEnd = "@b.c";
/** A value of so many characters, which JavaScript counts twice where the field takes any character. */
const samples: Readonly<Record<string, (length: number) => string>> = {
  email: length => `${"x".repeat(Math.max(0, length - emailEnd.length))}${emailEnd}`,
  phone: length => "1".repeat(length),
};
const letters = (length: number) => "𝒙".repeat(length);

const bounded = Object.entries({
  registrationFields,
  employeeChangeFields,
  passwordChangeFields,
  newAssetFields,
  newLogFields,
}).flatMap(([object, fields]) =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.bounds === undefined ? [] : [{ object, name, ...field, bounds: field.bounds }],
  ),
);

describe("the bounds that a field declares, which the documents show", () => {
  assert.ok(bounded.length > 10);
  for (const { object, name, bounds, read } of bounded) {
    const { min, max, trimmed } = bounds;
    const sample = samples[name] ?? letters;
    test(`are those of ${name} of ${object}: ${min} to ${max}`, () => {
      read(sample(min));
      read(sample(max));
      assert.throws(() => read(sample(max + 1)));
      if (min > 0) assert.throws(() => read(sample(min - 1)));
    });

    test(`${trimmed ? "leave out" : "count"} white space at the ends of ${name} of ${object}`, () => {
      const padded = `  ${sample(max)}\n`;
      if (trimmed) read(padded);
      else assert.throws(() => read(padded));
    });
  }
});

describe("the database takes what a field takes, and no more", () => {
  const constraints = readFileSync("sql/protection.ndjson", "utf8")
    .split("\n")
    .filter(line => line.includes("char_length"));
  /** No column: the database has its hash. */
  const hashed = ["password"];
  for (const [table, fields] of Object.entries({
    employee: registrationFields,
    asset: newAssetFields,
    maintenance_log: newLogFields,
  })) {
    for (const [name, { bounds }] of Object.entries(fields)) {
      if (bounds === undefined || hashed.includes(name)) continue;
      const column = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
      test(`${column} of ${table}`, () => {
        const length = `char_length\\(${column}\\)`;
        const own = constraints
          .filter(line => line.includes(`"${table}"`) && RegExp(length).test(line))
          .join();
        const bound = (operator: string) => RegExp(`${length} ${operator} (\\d+)`).exec(own)?.[1];
        assert.equal(bound("<="), String(bounds.max));
        // What is shorter has no form of an email.
        if (name !== "email") assert.equal(bound(">=") ?? "0", String(bounds.min));
      });
    }
  }
});
