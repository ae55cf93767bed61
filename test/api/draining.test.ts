import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeWaitingRepositories } from "../support/own-reads.ts";
import { dial } from "../support/raw-client.ts";
import { bearerOf, host, statusesIn } from "../support/raw-request.ts";
import { once, until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

/** Nobody waits for it: it would outlast the test. */
const grace = 3_600_000;
const request = `OPTIONS / HTTP/1.1\r\n${host}\r\n`;

/** The service with a request that is answered only when it is let go. */
async function openWaiting() {
  const waiting = makeWaitingRepositories();
  const world = await openWorld({ repositories: waiting.repositories });
  return { ...waiting, world };
}

describe("a server that is asked to stop", () => {
  test("still answers what arrives on the connections it has, and closes them", async () => {
    const world = await openWorld();
    const { socket: fresh } = await dial(world.port);
    const { socket: used } = await dial(world.port);
    used.write(request);
    // Once the second one is answered, both have been accepted.
    assert.doesNotMatch(String((await once(used, "data"))[0]), /^Connection: close/m);
    const closed = world.close(grace);
    const answered = [fresh, used].map(async socket => {
      socket.write(request);
      const [[answer]] = await Promise.all([once(socket, "data"), once(socket, "close")]);
      assert.match(answer, /^HTTP\/1\.1 200 /);
      assert.match(answer, /^Connection: close\r$/m);
    });
    await Promise.all([closed, ...answered]);
  });

  test("takes no new connections, and does not wait long for silent ones", async () => {
    const world = await openWorld();
    const [silent, halfSent] = [await dial(world.port), await dial(world.port)];
    halfSent.socket.write("GET / HTTP/1.1\r\nHost:");
    // They have been accepted too, once a later one is answered.
    await world.call("OPTIONS", "/");
    const closed = world.close(grace);
    // From its first moment on: on a socket that is passed on, the next process takes them.
    await assert.rejects(dial(world.port), { code: "ECONNREFUSED" });
    await Promise.all([closed, silent.closed(), halfSent.closed()]);
  });

  test("lets a request under way finish, closes its connection, and starts no other", async () => {
    const { world, held, letGo } = await openWaiting();
    const { socket, closed, text } = await dial(world.port);
    socket.write(`GET ${api}/assets/1 HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`.repeat(3));
    await until(() => held.length === 1);
    const over = world.close(grace);
    letGo();
    await Promise.all([over, closed()]);
    assert.deepEqual(statusesIn(text()), [200]);
    assert.equal(text().split(/connection: close/i).length, 2);
  });

  test("does not wait for connections that have been refused", async () => {
    const world = await openWorld({ limits: { lingerMilliseconds: grace } });
    const { socket, closed, text } = await dial(world.port);
    socket.write("GARBAGE\r\n\r\n");
    await until(() => text().startsWith("HTTP/1.1 400 "));
    await world.close(grace);
    await closed();
  });

  test("ends what has not finished when the grace period is over", async () => {
    const { world, held, letGo } = await openWaiting();
    const unfinished = world.call("GET", `${api}/assets/1`, { token: world.tokens.ADMIN });
    await until(() => held.length === 1);
    const closed = world.close(1);
    await assert.rejects(unfinished);
    letGo();
    await closed;
  });
});
