import assert from "node:assert/strict";
import { test } from "node:test";
import { aLog, anAsset, aRegistration } from "../support/test-records.ts";
import { api, describeInWorlds } from "../support/world.ts";

describeInWorlds("the entity tag of a log", async world => {
  const { id } = await world.ports.assets.insert(anAsset({ name: "Boiler" }));
  const written = await world.call("POST", `${api}/assets/${id}/logs`, {
    token: world.tokens.MANAGER,
    body: aLog(),
  });
  const path = `${api}/logs/${written.json.id}`;

  const get = () => world.call("GET", path, { token: world.tokens.TECHNICIAN });

  test("changes with the performer's name, though the log does not", async () => {
    const before = await get();
    const employee = `${api}/employees/${world.employees.MANAGER.id}`;
    await world.call("PUT", employee, { token: world.tokens.ADMIN, body: { lastName: "Lovelace" } });
    const { json, headers } = await get();
    assert.deepEqual(json, { ...before.json, performedByName: "Ada Lovelace" });
    assert.notEqual(headers.get("etag"), before.headers.get("etag"));
  });
});

describeInWorlds("preconditions", world => {
  const call = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    world.call(method, `${api}${path}`, { token: world.tokens.ADMIN, headers, ...(body && { body }) });
  const changed = [412, { status: 412, msg: "The record has changed" }];
  const join = async () => {
    const { employee } = await world.join("TECHNICIAN");
    const path = `/employees/${employee.id}`;
    const tag = (await call("GET", path)).headers.get("etag") ?? "";
    return { path, tag };
  };

  test("an employee has one tag wherever it is read or changed", async () => {
    const { path, tag } = await join();
    const put = await call("PUT", path, {}, { firstName: "Grace" });
    const read = await call("GET", path);
    assert.notEqual(put.headers.get("etag"), tag);
    assert.equal(put.headers.get("etag"), read.headers.get("etag"));
    const created = await call("POST", "/auth/register", {}, aRegistration());
    const same = await call("GET", `/employees/${created.json.id}`);
    assert.equal(created.headers.get("etag"), same.headers.get("etag"));
  });

  test("of two simultaneous changes with one tag exactly one is made", async () => {
    const { path, tag } = await join();
    const put = (firstName: string) => call("PUT", path, { "if-match": tag }, { firstName });
    const answers = await Promise.all(["Grace", "Mary", "Jean"].map(put));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
    const made = answers.find(({ status }) => status === 200);
    assert.deepEqual((await call("GET", path)).json, made?.json);
    for (const method of ["DELETE", "PATCH"]) {
      const { status, json } = await call(method, path, { "if-match": tag });
      assert.deepEqual([status, json], changed, method);
    }
    const now = made?.headers.get("etag") ?? "";
    assert.equal((await call("DELETE", path, { "if-match": `"other", ${now}` })).status, 204);
    assert.equal((await call("PATCH", path, { "if-match": now })).status, 412);
    assert.equal((await call("PATCH", path, { "if-match": "*" })).status, 204);
  });

  test("a weak tag, a part of one and If-None-Match: * refuse a change of what exists", async () => {
    const { path, tag } = await join();
    for (const headers of [
      { "if-match": `W/${tag}` },
      { "if-match": "" },
      { "if-match": '"other",' },
      { "if-none-match": "*" },
      { "if-none-match": tag },
      { "if-match": tag, "if-none-match": "*" },
    ]) {
      const { status, json } = await call("PUT", path, headers as Record<string, string>, {
        firstName: "Grace",
      });
      assert.deepEqual([status, json], changed, JSON.stringify(headers));
    }
    assert.equal(
      (await call("PUT", path, { "if-none-match": '"other"' }, { firstName: "Grace" })).status,
      200,
    );
  });

  test("of an employee comes after any other error", async () => {
    const { path } = await join();
    const email = world.employees.MANAGER.email;
    const headers = { "if-match": '"x"' };
    for (const [method, where, body, status] of [
      ["PUT", path, { firstName: "" }, 400],
      ["PUT", path, { email }, 409],
    ] as const) {
      assert.equal((await call(method, where, headers, body)).status, status, `${method} ${where}`);
    }
    const above = await world.call("PUT", `${api}/employees/${world.employees.ADMIN.id}`, {
      token: world.tokens.MANAGER,
      headers,
      body: { firstName: "Grace" },
    });
    assert.equal(above.status, 403);
  });
});
