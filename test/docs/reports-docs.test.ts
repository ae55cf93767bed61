import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { columns } from "../../src/commands/export-logs.ts";
import { api, openWorld, password } from "../support/world.ts";

describe("docs/logs.pq", () => {
  const query = readFileSync("docs/logs.pq", "utf8");

  test("has a query with each column of a log", () => {
    const [, table = ""] = /type table \[(.*?)\]/s.exec(query) ?? [];
    assert.deepEqual(
      [...table.matchAll(/(\w+) = /g)].map(([, column]) => column),
      columns,
    );
  });

  test("asks the service for what there is", async () => {
    await using world = await openWorld();
    const paths = [...query.matchAll(/(?:Call|Read)\("([^"]+)"/g)].map(([, path]) => `${api}/${path}`);
    assert.deepEqual(paths, [`${api}/auth/login`, `${api}/logs`]);
    const [, login = ""] = /FromValue\(\[(.*?)\]\)/.exec(query) ?? [];
    assert.deepEqual(
      [...login.matchAll(/(\w+) = /g)].map(([, name]) => name),
      ["email", "password"],
    );
    const { email } = world.employees.TECHNICIAN;
    const { json } = await world.call("POST", paths[0] as string, { body: { email, password } });
    const token = json[/Login\[(\w+)\]/.exec(query)?.[1] ?? ""];
    const read = await world.call("GET", `${paths[1]}`, { token });
    assert.deepEqual([read.status, read.json], [200, []]);
  });
});
