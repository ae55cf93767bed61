import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readHeaders, readId, readQuery } from "../../../../../src/adapters/http/request/parameters.ts";
import { optional, readText, rule } from "../../../../../src/domain/field.ts";
import {
  activeAssetsFields,
  logFilterFields,
  writeLogHeaders,
} from "../../../../../src/domain/maintenance-log.ts";

test("the id of a path is a whole number that PostgreSQL can compare, and no other text", () => {
  for (const sent of ["0", "7", "0042", "9007199254740991"]) assert.equal(readId(sent), Number(sent));
  for (const negative of ["-1", "-99999999999999999999"]) assert.equal(readId(negative), 0);
  for (const huge of ["9007199254740992", "9223372036854775808", "9".repeat(400)])
    assert.equal(readId(huge), Number.MAX_SAFE_INTEGER);
  for (const other of [
    ..." - --1 -1.5 +1 1.0 1e3 0x10 1_000 1,000 abc 7a %37 \u0667 Infinity NaN".split(" "),
    ...["- 1", " 7", "7 ", "7\n"],
  ])
    assert.equal(readId(other), undefined, other);
});

describe("the query of a request", () => {
  const nothing = {
    status: undefined,
    taskType: undefined,
    performedFrom: undefined,
    performedTo: undefined,
  };

  for (const [query, expected] of [
    ["", nothing],
    ["status=PENDING", { ...nothing, status: "PENDING" }],
    ["taskType=ERROR&status=PENDING", { ...nothing, status: "PENDING", taskType: "ERROR" }],
    ["status=PEN%44ING", { ...nothing, status: "PENDING" }],
    ["&&status=PENDING&", { ...nothing, status: "PENDING" }],
    ["state=nonsense&statuses=x&[statuses]x[y]=z&$eq=x&status-of=y", nothing],
    ["page=1&page=2&__proto__=x&constructor=y&%zz", nothing],
  ] as const) {
    test(`${JSON.stringify(query)} is read by its known parameters`, () => {
      assert.deepEqual(readQuery(logFilterFields, query), expected);
    });
  }

  for (const [query, message] of [
    ["status=PENDING&status=PENDING", "Invalid status value"],
    ["status=PENDING&status=COMPLETED", "Invalid status value"],
    ["status=", "Invalid status value"],
    ["status", "Invalid status value"],
    ["status=pending", "Invalid status value"],
    ["status=PENDING,COMPLETED", "Invalid status value"],
    ["status=%zz", "Invalid status value"],
    ["status=+PENDING", "Invalid status value"],
    ["taskType=ERROR&taskType=", "Invalid task type value"],
    ["task_type=ERROR", "Misspelled query parameter: write taskType"],
    ["performed-from=2026-03-01", "Misspelled query parameter: write performedFrom"],
  ] as const) {
    test(`${query} is refused`, () => {
      assert.throws(() => readQuery(logFilterFields, query), {
        name: "DomainError",
        code: "INVALID",
        message,
      });
    });
  }

  test("cannot repeat a number either", () => {
    assert.deepEqual(readQuery(activeAssetsFields, "limit=5"), { ...nothing, limit: 5 });
    assert.throws(() => readQuery(activeAssetsFields, "limit=5&limit=5"), { message: "Invalid limit value" });
  });

  test("is decoded", () => {
    const fields = {
      note: optional(
        rule({ type: "string" }, value => readText("Note", value)),
        "",
      ),
    };
    assert.deepEqual(readQuery(fields, "note=a+b%26c%C3%A6"), { note: "a b&cæ" });
  });
});

describe("the header fields of a request", () => {
  test("are read by the declared ones, whatever the case of their names", () => {
    const sent = { "idempotency-key": "a-key", "content-type": "text/plain" };
    assert.deepEqual(readHeaders(writeLogHeaders, sent), { "Idempotency-Key": "a-key" });
    assert.deepEqual(readHeaders(writeLogHeaders, {}), { "Idempotency-Key": undefined });
    assert.deepEqual(readHeaders({}, sent), {});
  });

  test("are refused by their own rules", () => {
    for (const key of ["", " ", "a key", "é", "x".repeat(256)])
      assert.throws(() => readHeaders(writeLogHeaders, { "idempotency-key": key }), {
        code: "INVALID",
        message: "Idempotency-Key must be 1 to 255 visible ASCII characters",
      });
  });
});
