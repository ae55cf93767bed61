import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeCors } from "../../../../../src/adapters/http/request/cors.ts";

const listOf = (header: string | undefined) => new Set(header?.split(", "));
const app = "https://app.example.com";
const admin = "https://admin.example.com";

describe("the headers for other origins", () => {
  test("let anyone read a response where all origins are allowed", () => {
    const { forOrigin } = makeCors("*");
    for (const origin of [undefined, app, "null"]) {
      const headers = forOrigin(origin);
      assert.deepEqual([headers["Access-Control-Allow-Origin"], headers["Vary"]], ["*", undefined]);
    }
  });

  test("let an allowed origin alone read it where some are, and keep caches from mixing origins up", () => {
    const { forOrigin } = makeCors([app, admin]);
    for (const origin of [app, admin]) {
      const headers = forOrigin(origin);
      assert.deepEqual([headers["Access-Control-Allow-Origin"], headers["Vary"]], [origin, "Origin"]);
    }
    const others = ["https://evil.example", "http://app.example.com", `${app}:8443`, `${app}.evil.example`];
    for (const origin of [undefined, "", "null", "*", `${app}/`, ...others])
      assert.deepEqual(forOrigin(origin), { Vary: "Origin" });
  });

  test("name what clients need to read and to send, and never ask for credentials", () => {
    for (const allowed of ["*", [app]] as const) {
      const { forOrigin, preflight } = makeCors(allowed);
      const read = "ETag Link Location Retry-After X-Request-Id Idempotent-Replayed WWW-Authenticate Date";
      const send = "Authorization Content-Type If-Match Idempotency-Key *";
      for (const [header, names] of [
        [forOrigin(app)["Access-Control-Expose-Headers"], read],
        [preflight["Access-Control-Allow-Methods"], "GET POST PUT PATCH DELETE"],
        [preflight["Access-Control-Allow-Headers"], send],
      ] as const)
        for (const name of names.split(" ")) assert.ok(listOf(header).has(name), name);
      assert.doesNotMatch(Object.keys({ ...forOrigin(app), ...preflight }).join(), /credentials/i);
    }
  });
});
