import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { noContent } from "../../../../../src/adapters/http/api/result.ts";
import { type Route, route } from "../../../../../src/adapters/http/api/route.ts";
import { makeRouter } from "../../../../../src/adapters/http/request/router.ts";
import { HttpError } from "../../../../../src/adapters/protocol/error-response.ts";

const made = (method: Route["method"], path: string): Route =>
  route(method, path, "AUTHENTICATED", {
    result: noContent,
    run: async () => {},
  });

const routes = [
  made("GET", "/"),
  made("GET", "/routes"),
  made("GET", "/v1/logs"),
  made("GET", "/v1/logs/active-assets"),
  made("GET", "/v1/logs/{id}"),
  made("GET", "/v1/logs/employee/{id}"),
  made("POST", "/v1/login"),
  made("PUT", "/v1/employees/{id}"),
  made("DELETE", "/v1/employees/{id}"),
  made("PATCH", "/v1/employees/{id}/password"),
  made("GET", "/v1/tile/{path}"),
];
const find = makeRouter(routes);

function refusal(method: string, path: string): HttpError {
  const found = find(method, path);
  assert.ok(found instanceof HttpError, `${method} ${path} was found`);
  return found;
}

describe("a route that there is", () => {
  for (const [method, path, expected, id] of [
    ["GET", "/", "/", undefined],
    ["GET", "/routes", "/routes", undefined],
    ["GET", "/v1/logs", "/v1/logs", undefined],
    ["GET", "/v1/logs/7", "/v1/logs/{id}", "7"],
    ["GET", "/v1/logs/active-assets", "/v1/logs/active-assets", undefined],
    ["GET", "/v1/logs/active-asset", "/v1/logs/{id}", "active-asset"],
    ["GET", "/v1/logs/employee/7", "/v1/logs/employee/{id}", "7"],
    ["PUT", "/v1/employees/7", "/v1/employees/{id}", "7"],
    ["DELETE", "/v1/employees/7", "/v1/employees/{id}", "7"],
    ["PATCH", "/v1/employees/7/password", "/v1/employees/{id}/password", "7"],
    ["PUT", "/v1/employees/x y", "/v1/employees/{id}", "x y"],
    ["PUT", "/v1/employees/{id}", "/v1/employees/{id}", "{id}"],
    ["PUT", "/v1/employees/__proto__", "/v1/employees/{id}", "__proto__"],
    ["GET", "/%76%31/l%6Fgs/7", "/v1/logs/{id}", "7"],
    ["GET", "/v1/logs/%37", "/v1/logs/{id}", "7"],
    ["GET", "/v1/logs/a%2Fb", "/v1/logs/{id}", "a/b"],
    ["GET", "/v1/logs/%2e%2E", "/v1/logs/{id}", ".."],
    ["GET", "/v1/logs/%2537", "/v1/logs/{id}", "%37"],
    ["GET", "/v1/logs/%zz", "/v1/logs/{id}", "%zz"],
    ["GET", "/v1/logs/7%C3", "/v1/logs/{id}", "7%C3"],
    ["GET", "/v1/logs/%C3%A9", "/v1/logs/{id}", "é"],
  ] as const) {
    test(`${method} ${path} is ${expected}, and HEAD what GET is`, () => {
      const route = routes.find(route => route.method === method && route.path === expected);
      assert.deepEqual(find(method, path), { route, id });
      if (method === "GET") assert.deepEqual(find("HEAD", path), { route, id });
    });
  }
});

describe("a path that there is not", () => {
  const unknown = [
    "",
    "*routes",
    "//",
    "/v1",
    "/v1/",
    "/nothing",
    "/Routes",
    "/routes/",
    "/v1/logs/",
    "/v1/logs/7/",
    "/v1/logs/7/8",
    "/v1//logs",
    "//v1/logs",
    "/v1/employees",
    "/v1/employees/",
    "/v1/employees//password",
    "/v1/employees/7/password/",
    "/v1/logs/employee",
    "/v1/logs/employee/",
    "/v1/./logs",
    "/__proto__",
    "/constructor",
    "/%",
    "/%2F",
    "/v1%2Flogs",
    "/v1/logs%2F7",
    "/v1/logs/7%2F8/",
    "/v1/%2e/logs",
    "/v1/tile/",
  ];
  for (const path of unknown) {
    test(`${JSON.stringify(path)} is 404, whatever the method`, () => {
      for (const method of ["GET", "HEAD", "POST", "PROPFIND"]) {
        const { status, message, headers } = refusal(method, path);
        assert.deepEqual({ status, message, headers }, { status: 404, message: "Not found", headers: {} });
      }
    });
  }
});

test("finding a route decodes no more segments than the longest route has, however many there are", t => {
  const decoding = t.mock.method(globalThis, "decodeURIComponent");
  for (const malformed of ["/%", "/%4", "/%C3", "/%2F"]) {
    for (const [begin, most] of [
      ["", 1],
      ["/v1", 2],
      ["/v1/logs/7", 4],
      ["/v1/employees/7/password", 5],
      ["/v1/tile", 3],
    ] as const) {
      decoding.mock.resetCalls();
      find("GET", begin + malformed.repeat(5_000));
      assert.ok(decoding.mock.callCount() <= most, `${begin}${malformed}…`);
    }
  }
});

describe("what {path} stands for", () => {
  const found = [
    ["0/001", "0/001"],
    ["0%2F001", "0/001"],
    ["%30/x%3001/234.p/5", "0/x001/234.p/5"],
    ["0//001/", "0//001/"],
    ["../logs", "../logs"],
    ["%2e%2E/logs", "../logs"],
    ["%", "%"],
    ["%30/%", "%30/%"],
  ] as const;
  for (const [rest, path] of found) {
    test(`is ${path} in /v1/tile/${rest}`, () => {
      const route = routes.at(-1);
      for (const method of ["GET", "HEAD"])
        assert.deepEqual(find(method, `/v1/tile/${rest}`), { route, id: undefined, path });
      assert.equal(refusal("PUT", `/v1/tile/${rest}`).status, 405);
    });
  }
});

describe("a method that a path does not have", () => {
  const wrong = [
    ["POST", "/routes", "GET, HEAD, OPTIONS"],
    ["DELETE", "/", "GET, HEAD, OPTIONS"],
    ["GET", "/v1/login", "POST, OPTIONS"],
    ["HEAD", "/v1/login", "POST, OPTIONS"],
    ["GET", "/v1/employees/7", "PUT, DELETE, OPTIONS"],
    ["PATCH", "/v1/employees/7", "PUT, DELETE, OPTIONS"],
    ["PUT", "/v1/employees/7/password", "PATCH, OPTIONS"],
    ["DELETE", "/v1/logs/active-assets", "GET, HEAD, OPTIONS"],
    ["get", "/routes", "GET, HEAD, OPTIONS"],
    ["constructor", "/routes", "GET, HEAD, OPTIONS"],
  ] as const;
  for (const [method, path, allow] of wrong) {
    test(`${method} ${path} is 405 and allows ${allow}`, () => {
      const { status, message, headers } = refusal(method, path);
      assert.deepEqual([status, message], [405, "Method not allowed"]);
      assert.deepEqual(headers, { Allow: allow });
    });
  }
});

describe("a table of routes", () => {
  test("cannot have two routes for one method and path", () => {
    const twice = [made("GET", "/v1/logs/{id}"), made("PUT", "/v1/logs/{id}"), made("GET", "/v1/logs/{id}")];
    assert.throws(() => makeRouter(twice), /two routes for GET \/v1\/logs\/\{id\}/);
  });

  test("may be in any order", () => {
    const reversed = makeRouter(routes.toReversed());
    for (const path of ["/v1/logs/active-assets", "/v1/logs/7", "/v1/logs/employee/7"]) {
      assert.deepEqual(reversed("GET", path), find("GET", path));
    }
  });
});
