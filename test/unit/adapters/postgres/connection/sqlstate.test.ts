import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { translate, uniqueConstraints } from "../../../../../src/adapters/postgres/connection/sqlstate.ts";
import { DomainError } from "../../../../../src/domain/error.ts";

const failure = (code: unknown, more: object = {}) =>
  Object.assign(new Error("a driver's message"), { code, ...more });

function assertTranslated(error: unknown, code: string): DomainError {
  const translated = translate(error, "db:5432");
  assert.ok(translated instanceof DomainError, String(error));
  assert.equal(translated.code, code);
  return translated;
}

/** Fails unless an error stays as it is. */
const assertKept = (error: unknown, what: string) => assert.equal(translate(error, "db:5432"), error, what);

describe("an error of the driver", () => {
  test("says that the database cannot be reached, and of which server", () => {
    for (const [code, what] of Object.entries({
      "08000": "connection exception",
      "08006": "connection failure",
      "08P01": "protocol violation",
      "25006": "a standby where a primary was",
      "25P04": "a time-out of transactions",
      "53300": "too many connections",
      "57P01": "admin shutdown",
      "57P02": "crash shutdown",
      "57P03": "cannot connect now",
      EHOSTUNREACH: "no way to the host",
      EPROTO: "TLS",
      ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC: "TLS, something on the way",
      ...{ ECONNRESET: "", EPIPE: "", ETIMEDOUT: "", ENETDOWN: "", ECONNABORTED: "" },
      ...{ CONNECTION_CLOSED: "", CONNECTION_ENDED: "", CONNECTION_DESTROYED: "" },
    })) {
      const cause = failure(code);
      const { message, cause: given } = assertTranslated(cause, "UNAVAILABLE");
      assert.ok(given instanceof Error);
      assert.deepEqual(
        [message, given.message, given.cause],
        ["The database is not available", "db:5432: a driver's message", cause],
        `${code} ${what}`,
      );
    }
  });

  test("of a constraint that the service knows is the conflict that it means, and keeps its cause", () => {
    for (const [constraint, conflict] of Object.entries(uniqueConstraints)) {
      const cause = failure("23505", { constraint_name: constraint });
      const translated = assertTranslated(cause, "CONFLICT");
      assert.deepEqual([translated.message, translated.cause], [conflict().message, cause]);
    }
  });

  test("of a transaction that others have undone says that the request is to be sent again", () => {
    for (const code of ["40001", "40P01"]) {
      const cause = failure(code);
      const translated = assertTranslated(cause, "UNAVAILABLE");
      assert.equal(translated.cause, cause);
      assert.match(translated.message, /send the request again$/);
    }
  });

  test("stays as it is where no client could mend it", () => {
    for (const [code, constraint] of [
      ...[["23000"], ["23001"], ["23502"], ["23503", "maintenance_log_asset_id_fkey"]],
      ...[
        ["23505", "asset_pkey"],
        ["23505", "of_an_operator"],
        ["23514", "asset_name_check"],
      ],
    ])
      assertKept(failure(code, { constraint_name: constraint }), `${code} of ${constraint}`);
    for (const [code, what] of Object.entries({
      "40003": "statement completion unknown",
      "25P02": "failed transaction",
      "22003": "number out of range",
      "22021": "character that cannot be stored",
      "42601": "syntax error",
      "42P01": "no such table",
      "42501": "no privilege",
      XX000: "internal error",
      ERR_INVALID_ARG_TYPE: "fault of the program",
      UNDEFINED_VALUE: "fault in a statement",
      "": "no code at all",
    }))
      assertKept(failure(code), `${code} ${what}`);
    // A SQLSTATE is matched from its start: these only have one inside.
    for (const code of ["X0800", "X4000", "55P030", "A2350", "42308", "XECONNRESET", "ECONNRESET_X"])
      assertKept(failure(code), code);
    const others = [failure(23505), failure(null), "text", undefined, null, { code: "08006" }];
    for (const error of [...others, new Error("no code"), new DomainError("NOT_FOUND", "Log not found")])
      assertKept(error, String(error));
  });
});
