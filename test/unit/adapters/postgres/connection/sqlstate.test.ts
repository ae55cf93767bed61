import assert from "node:assert/strict";
import { describe, test } from "node:test";
import postgres from "postgres";
import { translate, uniqueConstraints } from "../../../../../src/adapters/postgres/connection/sqlstate.ts";
import { DomainError } from "../../../../../src/domain/error.ts";

/** Of the driver, or of the operating system. */
const failure = (code: string) => Object.assign(new Error("a message"), { code });
const reported = (code: string, more: object = {}) =>
  new postgres.PostgresError({ message: "a message", severity: "ERROR", code, ...more } as never);

function assertTranslated(error: unknown, code: string): DomainError {
  const translated = translate(error, "db:5432");
  assert.ok(translated instanceof DomainError, String(error));
  assert.equal(translated.code, code);
  return translated;
}

/** Fails unless an error stays as it is. */
const assertKept = (error: unknown, what: string) => assert.equal(translate(error, "db:5432"), error, what);

describe("an error of the driver", () => {
  test("says that the database cannot be reached, or has not said what became of a statement, and which server", () => {
    for (const cause of [
      ...["08000", "08006", "08P01", "25006", "25P04", "53300", "57P01", "57P02", "57P03"].map(code =>
        reported(code),
      ),
      reported("XX000", { severity: "FATAL" }),
      ...["ECONNRESET", "EPROTO", "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC", "CONNECTION_CLOSED"].map(
        failure,
      ),
      new RangeError("a message"),
    ]) {
      const { message, cause: given } = assertTranslated(cause, "UNAVAILABLE");
      assert.ok(given instanceof Error);
      assert.deepEqual(
        [message, given.message, given.cause],
        ["The database is not available", "db:5432: a message", cause],
        String(cause),
      );
    }
    for (const thrown of ["a message", undefined, null])
      assert.equal((assertTranslated(thrown, "UNAVAILABLE").cause as Error).message, `db:5432: ${thrown}`);
  });

  test("of a constraint that the service knows is the conflict that it means, and keeps its cause", () => {
    for (const [constraint, conflict] of Object.entries(uniqueConstraints)) {
      const cause = reported("23505", { constraint_name: constraint });
      const translated = assertTranslated(cause, "CONFLICT");
      assert.deepEqual([translated.message, translated.cause], [conflict().message, cause]);
    }
  });

  test("of a transaction that others have undone says that the request is to be sent again", () => {
    for (const code of ["40001", "40P01"]) {
      const cause = reported(code);
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
      assertKept(reported(code as string, { constraint_name: constraint }), `${code} of ${constraint}`);
    for (const [code, what] of Object.entries({
      "40003": "statement completion unknown",
      "25P02": "failed transaction",
      "22003": "number out of range",
      "22021": "character that cannot be stored",
      "42601": "syntax error",
      "42P01": "no such table",
      "42501": "no privilege",
      XX000: "internal error",
    }))
      assertKept(reported(code), `${code} ${what}`);
    // A SQLSTATE is matched from its start: these only have one inside.
    for (const code of ["X0800", "X4000", "55P030", "A2350", "42308"]) assertKept(reported(code), code);
  });
});
