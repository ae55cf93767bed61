import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../../../../src/adapters/postgres/connection/database.ts";
import { makeAppend } from "../../../../../src/adapters/postgres/repositories/log-append.ts";
import { callerOf } from "../../../../support/by-admin.ts";
import { aLog, aStoredEmployee } from "../../../../support/test-records.ts";

test("a row of another statement is not taken for the outcome of a write", async () => {
  for (const row of [{}, { count: 1 }, { id: 1, name: "Pump" }]) {
    const query = async (_: unknown, read: (row: object) => object) => [read(row)];
    const append = makeAppend({ query } as unknown as Database);
    await assert.rejects(append(1, callerOf(aStoredEmployee()), aLog()), RangeError, JSON.stringify(row));
  }
});
