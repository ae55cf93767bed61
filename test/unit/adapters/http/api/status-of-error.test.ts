import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toHttpError } from "../../../../../src/adapters/http/api/status-of-error.ts";
import { HttpError } from "../../../../../src/adapters/protocol/error-response.ts";
import { DomainError, type ErrorCode } from "../../../../../src/domain/error.ts";

const statuses: Readonly<Record<ErrorCode, number>> = {
  INVALID: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  CHANGED: 412,
  GONE: 410,
  UNPROCESSABLE: 422,
  THROTTLED: 429,
  LOGIN_FAILED: 401,
  TOKEN_MISSING: 403,
  TOKEN_REFUSED: 403,
  UNAVAILABLE: 503,
};

describe("an expected error", () => {
  test("has the status of its code, and its own message", () => {
    for (const [code, status] of Object.entries(statuses)) {
      const error = toHttpError(new DomainError(code as ErrorCode, "What happened"));
      assert.deepEqual([error.status, error.message], [status, "What happened"], code);
    }
  });

  test("keeps its cause for the log", () => {
    const cause = new Error("connection refused");
    assert.equal(toHttpError(new DomainError("UNAVAILABLE", "Gone", { cause })).cause, cause);
  });

  test("tells the client when to come back if it is for a while only, and not otherwise", () => {
    for (const code of Object.keys(statuses) as ErrorCode[]) {
      const { headers } = toHttpError(new DomainError(code, "What happened"));
      assert.equal("Retry-After" in headers, code === "UNAVAILABLE");
    }
  });

  test("tells a client whose token is at fault what is wrong with it (RFC 6750, section 3), and nobody else", () => {
    const challenges = Object.keys(statuses).flatMap(code => {
      const { headers } = toHttpError(new DomainError(code as ErrorCode, "What happened"));
      const challenge = headers["WWW-Authenticate"];
      return challenge === undefined ? [] : [[code, challenge]];
    });
    assert.deepEqual(Object.fromEntries(challenges), {
      LOGIN_FAILED: 'Bearer realm="maintenance-log"',
      TOKEN_MISSING: 'Bearer realm="maintenance-log"',
      TOKEN_REFUSED: 'Bearer realm="maintenance-log", error="invalid_token"',
      UNAUTHENTICATED: 'Bearer realm="maintenance-log", error="invalid_token"',
      FORBIDDEN: 'Bearer realm="maintenance-log", error="insufficient_scope"',
    });
  });
});

test("any other failure is a 500 that gives nothing away", () => {
  for (const failure of [
    new TypeError("relation employee does not exist"),
    "a thrown text",
    undefined,
    { status: 418, message: "not an error", code: "INVALID" },
  ]) {
    const error = toHttpError(failure);
    assert.deepEqual([error.status, error.message, error.headers], [500, "Internal server error", {}]);
    assert.equal(error.cause, failure);
  }
});

test("an HTTP error stays as it is", () => {
  const error = new HttpError(405, "Method not allowed", { Allow: "GET" });
  assert.equal(toHttpError(error), error);
});
