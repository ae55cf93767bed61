import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeCors } from "../../../../../src/adapters/http/request/cors.ts";

/** Headers by lower-case name; a name that comes twice is a fault. */
function byName(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const map = new Map(all);
  assert.equal(map.size, all.length);
  return map;
}

const listOf = (header: string | undefined) => new Set(header?.split(", "));
const app = "https://app.example.com";
const admin = "https://admin.example.com";

describe("with all origins allowed", () => {
  const cors = makeCors("*");

  for (const origin of [undefined, app, "null"]) {
    test(`a response to ${origin ?? "no origin"} may be read by anyone`, () => {
      const headers = byName(cors.forOrigin(origin));
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.equal(headers.has("vary"), false);
    });
  }
});

describe("with some origins allowed", () => {
  const cors = makeCors([app, admin]);

  for (const origin of [app, admin]) {
    test(`a response to ${origin} may be read by it alone`, () => {
      assert.equal(byName(cors.forOrigin(origin)).get("access-control-allow-origin"), origin);
    });
  }

  const strangers = ["https://evil.example", "http://app.example.com", `${app}:8443`, `${app}.evil.example`];
  for (const origin of [undefined, "", "null", "*", `${app}/`, ...strangers]) {
    test(`a response to ${origin ?? "no origin"} may be read by none`, () => {
      assert.deepEqual(byName(cors.forOrigin(origin)), new Map([["vary", "Origin"]]));
    });
  }

  test("caches keep the responses to different origins apart", () => {
    assert.equal(byName(cors.forOrigin(app)).get("vary"), "Origin");
  });
});

describe("whatever origins are allowed", () => {
  for (const allowed of ["*", [app]] as const) {
    const cors = makeCors(allowed);

    test(`a page of ${allowed} may read the headers that clients need`, () => {
      const exposed = listOf(byName(cors.forOrigin(app)).get("access-control-expose-headers"));
      for (const name of [
        "ETag",
        "Link",
        "Location",
        "Retry-After",
        "X-Request-Id",
        "Idempotent-Replayed",
        "WWW-Authenticate",
        "Date",
      ])
        assert.ok(exposed.has(name), name);
    });

    test(`credentials are never asked for: ${allowed}`, () => {
      const headers = byName({ ...cors.forOrigin(app), ...cors.preflight });
      assert.equal(headers.has("access-control-allow-credentials"), false);
    });

    test(`a preflight allows the methods and headers of the API: ${allowed}`, () => {
      const headers = byName(cors.preflight);
      const methods = listOf(headers.get("access-control-allow-methods"));
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) assert.ok(methods.has(method), method);
      const names = listOf(headers.get("access-control-allow-headers"));
      for (const name of ["Authorization", "Content-Type", "If-Match", "Idempotency-Key", "*"])
        assert.ok(names.has(name), name);
    });
  }
});
