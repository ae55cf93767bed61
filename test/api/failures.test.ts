import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DomainError } from "../../src/domain/error.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { dial } from "../support/raw-client.ts";
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
      const world = await openWorldFailing(failure);
      const path = `${api}/assets/1`;
      const answer = await world.call("GET", `${path}?key=canary`, { token: world.tokens.ADMIN });
      assert.deepEqual([answer.status, answer.json], [500, { status: 500, msg: "Internal server error" }]);
      const [event] = world.recorded.filter(({ level }) => level === "error");
      assert.match(String(event?.details?.["cause"]), /select password_hash/);
      // A query may hold what was sent there by mistake.
      assert.equal(event?.details?.["path"], path);
      assert.equal(event?.details?.["requestId"], answer.headers.get("x-request-id"));
      assert.doesNotMatch(JSON.stringify(world.recorded), /argon2id|Bearer|eyJ|canary/);
      await world.close();
    });
  }

  test("an unreachable database is 503 with Retry-After", async () => {
    const cause = new Error(secretDetail);
    const world = await openWorldFailing(
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
    await world.close();
  });

  test("expected errors are not logged", async () => {
    const world = await openWorld();
    await world.call("GET", `${api}/assets/1`, { token: world.tokens.ADMIN });
    await world.call("GET", `${api}/assets/1`);
    assert.ok(world.recorded.every(({ level }) => level !== "error"));
    assert.ok(world.recorded.every(({ event }) => event !== "request failed"));
    await world.close();
  });

  describe("closing", () => {
    /** The service with a request that is answered only when it is told to. */
    async function openWorldWaiting() {
      const repositories = makeMemoryRepositories();
      let arrive = () => {};
      let answer = () => {};
      const arrived = new Promise<void>(resolve => {
        arrive = resolve;
      });
      const find = async () => {
        arrive();
        await new Promise<void>(resolve => {
          answer = resolve;
        });
        return { id: 1, name: "Pump", description: "", active: true, lastLogDate: null };
      };
      const world = await openWorld({
        repositories: { ...repositories, assets: { ...repositories.assets, find } },
      });
      return { world, arrived, answer: () => answer() };
    }

    test("lets the requests under way finish, closes their connections and takes no more", async () => {
      const { world, arrived, answer } = await openWorldWaiting();
      const request = world.call("GET", `${api}/assets/1`, { token: world.tokens.ADMIN });
      await arrived;
      // Nobody waits for the grace period: it would outlast the test.
      const closed = world.close(3_600_000);
      answer();
      const { status, headers } = await request;
      assert.deepEqual([status, headers.get("connection")], [200, "close"]);
      await closed;
      await assert.rejects(world.call("GET", "/"));
    });

    test("does not wait for connections that ask for nothing", async () => {
      const world = await openWorld();
      await world.call("GET", "/", { token: world.tokens.ADMIN });
      const [silent, halfSent] = [await dial(world.port), await dial(world.port)];
      halfSent.socket.write("GET / HTTP/1.1\r\nHost:");
      await world.close(3_600_000);
      await Promise.all([silent.closed, halfSent.closed]);
    });

    test("ends what has not finished when the grace period is over", async () => {
      const { world, arrived } = await openWorldWaiting();
      const request = world.call("GET", `${api}/assets/1`, { token: world.tokens.ADMIN });
      await arrived;
      await Promise.all([assert.rejects(request), world.close(1)]);
    });
  });
});
