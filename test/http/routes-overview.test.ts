import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openWorld, type World } from "../support/world.ts";

describe("GET /routes", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const get = (accept?: string) =>
    world.call("GET", "/routes", {
      token: world.tokens.TECHNICIAN,
      headers: accept === undefined ? {} : { accept },
    });

  test("answers method, path and roles of every route as JSON", async () => {
    const { status, json } = await get("application/json");
    assert.equal(status, 200);
    assert.equal(json.length, 28);
    for (const row of json) assert.deepEqual(Object.keys(row), ["method", "path", "roles"]);
    const rolesOf = (method: string, path: string) =>
      json.find((row: { method: string; path: string }) => row.method === method && row.path === path)?.roles;
    assert.deepEqual(rolesOf("POST", "/api/v1/auth/login"), []);
    assert.deepEqual(rolesOf("DELETE", "/api/v1/assets/{id}"), ["ADMIN"]);
    assert.deepEqual(rolesOf("GET", "/"), ["AUTHENTICATED"]);
  });

  test("answers a page to a client that prefers HTML, and JSON to any other", async () => {
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (const [accept, type] of [
      [browser, "text/html; charset=utf-8"],
      ["*/*", "application/json; charset=utf-8"],
      ["text/html;q=0.5, application/json", "application/json; charset=utf-8"],
      [undefined, "application/json; charset=utf-8"],
    ] as const) {
      const { headers } = await get(accept);
      assert.equal(headers.get("content-type"), type, String(accept));
      assert.equal(headers.get("vary"), "Accept");
    }
  });

  test("the page names every route, loads nothing and may run nothing", async () => {
    const { text, headers } = await get("text/html");
    const { json } = await get();
    for (const { path } of json) assert.ok(text.includes(`<code>${path}</code>`), path);
    assert.doesNotMatch(text, /<script|src=|href=|url\(|@import/i);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    assert.doesNotMatch(policy, /unsafe/);
  });
});
