import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readHeaders, readId, readQuery } from "../../../../../src/adapters/http/request/parameters.ts";
import { optional, readText, rule } from "../../../../../src/domain/field.ts";
import {
  activeAssetsFields,
  logFilterFields,
  writeLogHeaders,
} from "../../../../../src/domain/maintenance-log.ts";

describe("the id of a path", () => {
  for (const [sent, id] of [
    ["0", 0],
    ["7", 7],
    ["0042", 42],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["-1", 0],
    ["-99999999999999999999", 0],
  ] as const) {
    test(`may be ${sent}`, () => assert.equal(readId(sent), id));
  }

  for (const huge of ["9007199254740992", "9223372036854775808", "9".repeat(400)]) {
    test(`stays a whole number that PostgreSQL can compare when it has ${huge.length} digits`, () => {
      assert.equal(readId(huge), Number.MAX_SAFE_INTEGER);
    });
  }

  const others = [
    "",
    " ",
    "-",
    "--1",
    "- 1",
    "-1.5",
    "+1",
    "1.0",
    "1e3",
    "0x10",
    "1_000",
    "1,000",
    "abc",
    "7a",
    " 7",
    "7 ",
    "7\n",
    "%37",
  ];
  for (const other of [...others, "\u0667", "Infinity", "NaN"]) {
    test(`may not be ${JSON.stringify(other)}`, () => {
      assert.throws(() => readId(other), { name: "DomainError", code: "INVALID", message: "Invalid id" });
    });
  }
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
    ["filter[status]=PENDING", "Misspelled query parameter: write status"],
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

  for (const key of ["", " ", "a key", "é", "x".repeat(256)]) {
    test(`are refused by their own rules: ${JSON.stringify(key).slice(0, 20)}`, () => {
      assert.throws(() => readHeaders(writeLogHeaders, { "idempotency-key": key }), {
        code: "INVALID",
        message: "Idempotency-Key must be 1 to 255 visible ASCII characters",
      });
    });
  }
});
