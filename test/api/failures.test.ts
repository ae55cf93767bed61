import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DomainError } from "../../src/domain/error.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { api, openWorld } from "../support/world.ts";

const secretDetail = "select password_hash from employee -- /srv/app/main.js";

/** The service with asset reading that fails like this. */
async function openWorldFailing(failure: unknown) {
  const repositories = makeMemoryRepositories();
  const find = async () => {
    throw failure;
  };
  return openWorld({ repositories: { ...repositories, assets: { ...repositories.assets, find } } });
}

describe("failures", () => {
  for (const [what, failure] of [
    ["an unexpected error", new Error(secretDetail)],
    [
      "a driver's error",
      Object.assign(new Error(secretDetail), { code: "XX000", parameters: ["$argon2id$secret"] }),
    ],
    ["something that is no error", secretDetail],
  ] as const) {
    test(`${what} is 500 with a fixed text; its cause goes to the log, without parameters`, async () => {
      await using world = await openWorldFailing(failure);
      const path = `${api}/assets/1`;
      const answer = await world.call("GET", `${path}?key=canary`, { token: world.tokens.ADMIN });
      assert.deepEqual([answer.status, answer.json], [500, { status: 500, msg: "Internal server error" }]);
      const [event] = world.recorded.filter(({ level }) => level === "error");
      assert.match(String(event?.details?.["cause"]), /select password_hash/);
      // A query may hold what was sent there by mistake.
      assert.equal(event?.details?.["path"], path);
      assert.equal(event?.details?.["requestId"], answer.headers.get("x-request-id"));
      assert.doesNotMatch(JSON.stringify(world.recorded), /argon2id|Bearer|eyJ|canary/);
    });
  }

  test("an unreachable database is 503 with Retry-After", async () => {
    const cause = new Error(secretDetail);
    await using world = await openWorldFailing(
      new DomainError("UNAVAILABLE", "The database is not available", { cause }),
    );
    const answer = await world.call("GET", `${api}/assets/1`, { token: world.tokens.ADMIN });
    assert.deepEqual(
      [answer.status, answer.json],
      [503, { status: 503, msg: "The database is not available" }],
    );
    assert.equal(answer.headers.get("retry-after"), "1");
    const event = world.recorded.find(({ event }) => event === "request failed");
    assert.match(String(event?.details?.["cause"]), /select password_hash/);
  });

  test("expected errors are not logged", async () => {
    await using world = await openWorld();
    await world.call("GET", `${api}/assets/1`, { token: world.tokens.ADMIN });
    await world.call("GET", `${api}/assets/1`);
    assert.ok(world.recorded.every(({ level }) => level !== "error"));
    assert.ok(world.recorded.every(({ event }) => event !== "request failed"));
  });
});
