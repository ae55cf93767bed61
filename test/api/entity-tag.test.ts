import assert from "node:assert/strict";
import { test } from "node:test";
import { aLog, anAsset, aRegistration } from "../support/test-records.ts";
import { api, describeInWorlds, password } from "../support/world.ts";

describeInWorlds("the entity tag of a log", async world => {
  const { id } = await world.ports.assets.insert(anAsset({ name: "Boiler" }));
  const written = await world.call("POST", `${api}/assets/${id}/logs`, {
    token: world.tokens.MANAGER,
    body: aLog(),
  });
  const path = `${api}/logs/${written.json.id}`;

  const get = (ifNoneMatch?: string, method = "GET") =>
    world.call(method, path, {
      token: world.tokens.TECHNICIAN,
      headers: ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch },
    });
  const tagOf = async () => (await get()).headers.get("etag") ?? "";

  test("is strong, and the same as long as the answer is", async () => {
    const tag = await tagOf();
    assert.match(tag, /^"[\w-]{43}"$/);
    assert.equal(await tagOf(), tag);
  });

  test("sent back gets a 304 with the standing headers and no content", async () => {
    const tag = await tagOf();
    for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, `${tag},"other"`, "*", ` ${tag} `]) {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers, text } = await get(sent, method);
        assert.deepEqual([status, text, headers.get("etag")], [304, "", tag], sent);
        assert.equal(headers.get("content-type"), null);
      }
    }
  });

  test("in If-Match must be one that is named, which is asked before If-None-Match", async () => {
    const tag = await tagOf();
    for (const method of ["GET", "HEAD"]) {
      const read = (ifMatch: string, more: Record<string, string> = {}) =>
        world.call(method, path, {
          token: world.tokens.TECHNICIAN,
          headers: { "if-match": ifMatch, ...more },
        });
      for (const other of ['"x"', `W/${tag}`, '"x", "y"', "", ","]) {
        assert.equal((await read(other)).status, 412, other);
        assert.equal((await read(other, { "if-none-match": tag })).status, 412, other);
      }
      for (const same of [tag, "*", `"x",, ${tag} ,`]) {
        assert.equal((await read(same)).status, 200, same);
        assert.equal((await read(same, { "if-none-match": tag })).status, 304, same);
      }
    }
    const unknown = { token: world.tokens.TECHNICIAN, headers: { "if-match": '"x"' } };
    assert.equal((await world.call("GET", `${api}/logs/999999`, unknown)).status, 404);
  });

  test("changes with the performer's name, though the log does not", async () => {
    const tag = await tagOf();
    const employee = `${api}/employees/${world.employees.MANAGER.id}`;
    await world.call("PUT", employee, { token: world.tokens.ADMIN, body: { lastName: "Lovelace" } });
    const { status, json, headers } = await get(tag);
    assert.deepEqual([status, json.performedByName], [200, "Ada Lovelace"]);
    assert.notEqual(headers.get("etag"), tag);
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
    assert.match(tag, /^"[\w-]{43}"$/);
    return { path, tag };
  };

  test("an employee has one tag wherever it is read or changed, and 304 while it is the same", async () => {
    const { path, tag } = await join();
    assert.equal((await call("GET", path, { "if-none-match": tag })).status, 304);
    const put = await call("PUT", path, {}, { firstName: "Grace" });
    const read = await call("GET", path, { "if-none-match": tag });
    assert.deepEqual([put.status, read.status], [200, 200]);
    assert.notEqual(put.headers.get("etag"), tag);
    assert.equal(put.headers.get("etag"), read.headers.get("etag"));
    const created = await call("POST", "/auth/register", {}, aRegistration());
    const same = await call("GET", `/employees/${created.json.id}`);
    assert.equal(created.headers.get("etag"), same.headers.get("etag"));
    const me = await call("GET", "/employees/me");
    assert.equal(
      (await call("GET", "/employees/me", { "if-none-match": String(me.headers.get("etag")) })).status,
      304,
    );
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

  test("an If-Match that is no list of tags is 400 everywhere, and an If-None-Match is ignored", async () => {
    const { path, tag } = await join();
    for (const sent of [`w/${tag}`, tag.slice(1, -1), `*, ${tag}`]) {
      for (const [method, where, body] of [
        ["GET", path, undefined],
        ["PUT", path, { firstName: "Grace" }],
        ["DELETE", path, undefined],
        ["GET", "/assets", undefined],
        ["POST", "/assets", { name: "Pump" }],
        ["POST", "/auth/login", {}],
      ] as const) {
        const { status, json } = await call(method, where, { "if-match": sent }, body);
        const msg = "If-Match is not a list of entity tags";
        assert.deepEqual([status, json], [400, { status: 400, msg }], `${sent} ${where}`);
      }
      const written = await call("PUT", path, { "if-none-match": sent }, { firstName: "Ada" });
      assert.equal(written.status, 200, sent);
    }
  });

  test("of an employee comes after any other error", async () => {
    const { path } = await join();
    const email = world.employees.MANAGER.email;
    const headers = { "if-match": '"x"' };
    for (const [method, where, body, status] of [
      ["PUT", "/employees/999999", { firstName: "Grace" }, 404],
      ["PUT", path, { firstName: "" }, 400],
      ["PUT", path, { email }, 409],
      ["DELETE", "/employees/999999", undefined, 404],
      ["GET", "/employees/999999", undefined, 404],
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

  test("where there is no tag it comes after the form of the id, and before the body", async () => {
    const own = `/employees/${world.employees.ADMIN.id}/password`;
    for (const [method, where, body] of [
      ["POST", "/assets", {}],
      ["PATCH", "/assets/999999", undefined],
      ["DELETE", "/assets/999999", undefined],
      ["POST", "/assets/999999/logs", {}],
      ["POST", "/auth/register", {}],
      ["PATCH", own, { oldPassword: "wrong", newPassword: "secret 2" }],
    ] as const) {
      const answer = await call(method, where, { "if-match": '"x"' }, body);
      assert.deepEqual([answer.status, answer.json], changed, where);
      const options = { token: world.tokens.ADMIN, headers: { "if-match": '"x"' }, raw: "{" };
      assert.equal((await world.call(method, `${api}${where}`, options)).status, 412, where);
    }
    const ofTechnician = (method: string, where: string) =>
      world.call(method, `${api}${where}`, {
        token: world.tokens.TECHNICIAN,
        headers: { "if-match": '"x"' },
      });
    assert.equal((await ofTechnician("POST", "/assets")).status, 403);
    assert.equal((await ofTechnician("PATCH", own)).status, 403);
    assert.equal((await call("DELETE", "/assets/x", { "if-match": '"x"' })).status, 400);
    assert.equal((await call("PUT", "/assets/1", { "if-match": '"x"' })).status, 405);
    assert.equal((await world.call("POST", `${api}/assets`, { headers: { "if-match": '"x"' } })).status, 403);
    const login = { email: world.employees.ADMIN.email, password };
    assert.equal((await call("POST", "/auth/login", { "if-match": '"x"' }, login)).status, 200);
  });
});
