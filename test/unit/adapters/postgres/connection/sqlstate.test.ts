import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { translate, uniqueConstraints } from "../../../../../src/adapters/postgres/connection/sqlstate.ts";
import { DomainError } from "../../../../../src/domain/error.ts";

const failure = (code: unknown, more: object = {}) =>
  Object.assign(new Error("a driver's message"), { code, ...more });

const outage = [
  ["08000", "connection exception"],
  ["08006", "connection failure"],
  ["08P01", "protocol violation"],
  ["25006", "a standby where a primary was"],
  ["25P04", "a time-out of transactions"],
  ["53300", "too many connections"],
  ["57P01", "admin shutdown"],
  ["57P02", "crash shutdown"],
  ["57P03", "cannot connect now"],
  ["ECONNRESET", "reset"],
  ["EPIPE", "broken pipe"],
  ["ETIMEDOUT", "timed out"],
  ["EHOSTUNREACH", "no way to the host"],
  ["ENETDOWN", "no network"],
  ["ECONNABORTED", "aborted"],
  ["EPROTO", "TLS"],
  ["ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC", "TLS, something on the way"],
  ["CONNECTION_CLOSED", "closed"],
  ["CONNECTION_ENDED", "ended"],
  ["CONNECTION_DESTROYED", "destroyed"],
] as const;

describe("a database that cannot be reached", () => {
  for (const [code, what] of outage) {
    test(`is UNAVAILABLE: ${code}, ${what}`, () => {
      const cause = failure(code);
      const translated = translate(cause, "db:5432");
      assert.ok(translated instanceof DomainError, String(translated));
      const { cause: told } = translated;
      assert.ok(told instanceof Error);
      assert.deepEqual(
        [translated.code, translated.message, told.message, told.cause],
        ["UNAVAILABLE", "The database is not available", "db:5432: a driver's message", cause],
      );
    });
  }
});

describe("a constraint that is violated", () => {
  for (const [constraint, conflict] of Object.entries(uniqueConstraints)) {
    test(`is what it means, and keeps its cause: ${constraint}`, () => {
      const cause = failure("23505", { constraint_name: constraint });
      const translated = translate(cause, "db:5432");
      assert.ok(translated instanceof DomainError, String(translated));
      const { message } = conflict();
      assert.deepEqual([translated.code, translated.message, translated.cause], ["CONFLICT", message, cause]);
    });
  }

  for (const [code, constraint] of [
    ["23000", undefined],
    ["23001", undefined],
    ["23502", undefined],
    ["23503", "maintenance_log_asset_id_fkey"],
    ["23505", "asset_pkey"],
    ["23505", "of_an_operator"],
    ["23514", "asset_name_check"],
  ] as const) {
    test(`is no conflict that a client could mend: ${code} of ${constraint}`, () => {
      const error = failure(code, { constraint_name: constraint });
      assert.equal(translate(error, "db:5432"), error);
    });
  }
});

describe("a transaction that others have undone", () => {
  for (const code of ["40001", "40P01"]) {
    test(`is UNAVAILABLE, and no fault of its connection: ${code}`, () => {
      const cause = failure(code);
      const translated = translate(cause, "db:5432");
      assert.ok(translated instanceof DomainError, String(translated));
      assert.deepEqual([translated.code, translated.cause], ["UNAVAILABLE", cause]);
      assert.match(translated.message, /send the request again$/);
    });
  }
});

describe("any other failure", () => {
  for (const [code, what] of [
    ["40003", "statement completion unknown"],
    ["25P02", "failed transaction"],
    ["22003", "number out of range"],
    ["22021", "character that cannot be stored"],
    ["42601", "syntax error"],
    ["42P01", "no such table"],
    ["42501", "no privilege"],
    ["XX000", "internal error"],
    ["ERR_INVALID_ARG_TYPE", "fault of the program"],
    ["UNDEFINED_VALUE", "fault in a statement"],
    ["", "no code at all"],
  ] as const) {
    test(`stays as it is: ${code}, ${what}`, () => {
      const error = failure(code);
      assert.equal(translate(error, "db:5432"), error);
    });
  }

  // A SQLSTATE is matched from its start: these only have one inside.
  for (const code of ["X0800", "X4000", "55P030", "A2350", "42308", "XECONNRESET", "ECONNRESET_X"]) {
    test(`is not mistaken for another: ${code}`, () => {
      const error = failure(code);
      assert.equal(translate(error, "db:5432"), error);
    });
  }

  for (const error of [
    new Error("no code"),
    failure(23505),
    failure(null),
    "text",
    undefined,
    null,
    { code: "08006" },
  ]) {
    test(`without a code of its own stays as it is: ${JSON.stringify(error)}`, () => {
      assert.equal(translate(error, "db:5432"), error);
    });
  }

  test("of the domain passes", () => {
    const error = new DomainError("NOT_FOUND", "Log not found");
    assert.equal(translate(error, "db:5432"), error);
  });
});
