import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readTarget } from "../../../../src/adapters/protocol/target.ts";

describe("the target of a request", () => {
  for (const [url, path, query] of [
    ["/", "/", ""],
    ["/routes", "/routes", ""],
    ["/logs?status=PENDING", "/logs", "status=PENDING"],
    ["/logs?", "/logs", ""],
    ["/logs?a=?&b=/", "/logs", "a=?&b=/"],
    ["//", "//", ""],
    ["//evil.example/logs", "//evil.example/logs", ""],
    ["/logs/../routes", "/logs/../routes", ""],
    ["/%72outes", "/%72outes", ""],
    ["/logs%3Fa=b", "/logs%3Fa=b", ""],
    ["/logs%2F7", "/logs%2F7", ""],
    ["/%zz?%zz", "/%zz", "%zz"],
    ["http://api.example.com/logs?limit=5", "/logs", "limit=5"],
    ["https://api.example.com:8443/", "/", ""],
    ["HTTP://API.EXAMPLE.COM/logs", "/logs", ""],
    ["http://api.example.com", "/", ""],
    ["http://api.example.com?limit=5", "/", "limit=5"],
    ["http://api.example.com//logs", "//logs", ""],
    ["/http://api.example.com/logs", "/http://api.example.com/logs", ""],
  ] as const) {
    test(`${url} has the path ${path} and the query ${JSON.stringify(query)}`, () => {
      assert.deepEqual(readTarget(url), { path, query });
    });
  }

  for (const url of ["", "*", "routes", "example.com:443", "ftp://example.com/logs"]) {
    test(`${JSON.stringify(url)} is taken as it is, and so is no known path`, () => {
      assert.deepEqual(readTarget(url), { path: url, query: "" });
    });
  }
});
