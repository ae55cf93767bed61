import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { api, type World, worlds } from "../support/world.ts";

for (const { name, open } of worlds) {
  describe(`the entity tag of a log ${name}`, () => {
    let world: World;
    let path: string;
    before(async () => {
      world = await open();
      const { id } = await world.ports.assets.insert({ name: "Boiler", description: "", active: true });
      const body = {
        performedDate: "2026-02-28T10:20",
        status: "PENDING",
        taskType: "ERROR",
        comment: "Leaks",
      };
      const written = await world.call("POST", `${api}/assets/${id}/logs`, {
        token: world.tokens.MANAGER,
        body,
      });
      path = `${api}/logs/${written.json.id}`;
    });
    after(() => world.close());

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
          assert.equal(headers.get("cache-control"), "no-store");
          assert.equal(headers.get("x-content-type-options"), "nosniff");
          assert.equal(headers.get("content-type"), null);
          assert.ok(headers.get("x-request-id"));
        }
      }
    });

    test("is not matched by another one, by a part of it or by nonsense", async () => {
      const tag = await tagOf();
      for (const sent of ['"other"', tag.slice(1, -1), `${tag.slice(0, -2)}"`, "", '"', '""', `x*, "*"`]) {
        const { status, json } = await get(sent);
        assert.deepEqual([status, json.comment], [200, "Leaks"], sent);
      }
    });

    test("changes with the performer's name, though the log does not", async () => {
      const tag = await tagOf();
      const employee = `${api}/employees/${world.employees.MANAGER.id}`;
      await world.call("PUT", employee, { token: world.tokens.ADMIN, body: { lastName: "Lovelace" } });
      const { status, json, headers } = await get(tag);
      assert.deepEqual([status, json.performedByName], [200, "Ada Lovelace"]);
      assert.notEqual(headers.get("etag"), tag);
    });

    test("does not let anybody in who may not read", async () => {
      for (const token of [undefined, "broken"]) {
        const { status } = await world.call("GET", path, { token, headers: { "if-none-match": "*" } });
        assert.equal(status, 403);
      }
      const unknown = await world.call("GET", `${api}/logs/999999`, {
        token: world.tokens.TECHNICIAN,
        headers: { "if-none-match": "*" },
      });
      assert.equal(unknown.status, 404);
    });
  });
}
