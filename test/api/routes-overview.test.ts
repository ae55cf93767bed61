import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shared } from "../support/left-open.ts";
import { openWorld } from "../support/world.ts";

describe("GET /routes", async () => {
  const world = await shared(openWorld());

  test("answers method, path and roles of every route as JSON, whatever the client prefers", async () => {
    const { status, json } = await world.call("GET", "/routes", {
      token: world.tokens.TECHNICIAN,
      headers: { accept: "text/html" },
    });
    assert.equal(status, 200);
    assert.ok(json.length > 20);
    for (const row of json) assert.deepEqual(Object.keys(row), ["method", "path", "roles"]);
    const rolesOf = (method: string, path: string) =>
      json.find((row: { method: string; path: string }) => row.method === method && row.path === path)?.roles;
    assert.deepEqual(rolesOf("POST", "/api/v1/auth/login"), []);
    assert.deepEqual(rolesOf("DELETE", "/api/v1/assets/{id}"), ["ADMIN"]);
    assert.deepEqual(rolesOf("GET", "/"), ["AUTHENTICATED"]);
  });
});
