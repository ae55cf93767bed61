import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { newAssetFields } from "../../../src/domain/asset.ts";
import { registrationFields } from "../../../src/domain/employee.ts";
import { newLogFields } from "../../../src/domain/maintenance-log.ts";

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
