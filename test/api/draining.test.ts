import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { dial } from "../support/raw-client.ts";
import { openWorld } from "../support/world.ts";

const request = "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n";

describe("a server that is asked to stop", () => {
  test("still answers what arrives on the connections it has, and closes them", async () => {
    const world = await openWorld();
    const { socket: fresh } = await dial(world.port);
    const { socket: used } = await dial(world.port);
    used.write(request);
    // Once the second one is answered, both have been accepted.
    assert.doesNotMatch(String((await once(used, "data"))[0]), /^Connection: close/m);
    const closed = world.close(60_000);
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
    const silent = await dial(world.port);
    // It has been accepted too, once a later one is answered.
    await world.call("OPTIONS", "/");
    const closed = world.close(60_000);
    await Promise.all([closed, silent.closed]);
    await assert.rejects(dial(world.port), { code: "ECONNREFUSED" });
  });
});
