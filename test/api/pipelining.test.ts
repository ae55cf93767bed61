import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { describe, test } from "node:test";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { openSockets } from "../support/accepted-sockets.ts";
import { makeWaitingRepositories } from "../support/own-reads.ts";
import { dial, sendRaw } from "../support/raw-client.ts";
import { bearerOf, ends, host, login, settle, statusesIn } from "../support/raw-request.ts";
import { aStoredAsset } from "../support/test-records.ts";
import { until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

/** The last one of so many says that it is the last. */
function assertAnswers(text: string, statuses: readonly number[] = [200]): void {
  assert.deepEqual(statusesIn(text), statuses);
  assert.equal(text.split(/connection: close\r\n/i).length, 2);
  assert.ok(text.toLowerCase().lastIndexOf("connection: close") > text.lastIndexOf("HTTP/1.1"));
}

describe("several requests on one connection", () => {
  const get = (bearer: string) => `GET / HTTP/1.1\r\n${host}${bearer}\r\n`;
  const asset = (bearer: string, id: number) => `GET ${api}/assets/${id} HTTP/1.1\r\n${host}${bearer}\r\n`;
  const create = (bearer: string) =>
    `POST ${api}/assets HTTP/1.1\r\n${host}${bearer}Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{"name":"x"}`;

  test("are answered both when the first answer was written, and is still on its way", async () => {
    const repositories = makeMemoryRepositories();
    const long = aStoredAsset({ name: "x".repeat(8_000_000) });
    const assets = { ...repositories.assets, find: async () => long };
    await using world = await openWorld({ repositories: { ...repositories, assets } });
    const { socket, text } = await dial(world.port);
    socket.write(asset(bearerOf(world), 1));
    await until(() => text() !== "");
    socket.pause();
    await settle(world);
    socket.write(asset(bearerOf(world), 1));
    await settle(world);
    socket.resume();
    await until(() => text().length > 16_000_000 && text().endsWith('"lastLogDate":null}'));
    assert.doesNotMatch(text(), /connection: close/i);
    socket.destroy();
  });

  test("sent without waiting: the first is answered, and nothing else is worked on", async () => {
    const waiting = makeWaitingRepositories();
    await using world = await openWorld({ repositories: waiting.repositories });
    const { socket, closed, text } = await dial(world.port);
    socket.write(asset(bearerOf(world), 1) + create(bearerOf(world)).repeat(2));
    await until(() => waiting.held.length === 1);
    socket.write(create(bearerOf(world)));
    waiting.letGo();
    await closed();
    assertAnswers(text());
    assert.deepEqual((await world.call("GET", `${api}/assets`, { token: world.tokens.ADMIN })).json, []);
  });

  test("sent without waiting, whatever the others ask for: one is answered, and the process goes on", async () => {
    await using world = await openWorld();
    const one = get(bearerOf(world));
    for (const next of [
      get(`${bearerOf(world)}Connection: Upgrade\r\nUpgrade: websocket\r\n`),
      "GARBAGE\r\n\r\n",
      "\0",
      get(`X: ${"x".repeat(20_000)}\r\n`),
      `POST ${login} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ])
      for (const before of [1, 2]) assertAnswers(await sendRaw(world.port, one.repeat(before) + next));
    await until(() => openSockets(world.port).length === 0);
  });

  test("a malformed one after an answer is 400", async () => {
    await using world = await openWorld();
    const { socket, closed, text } = await dial(world.port);
    socket.write(get(bearerOf(world)));
    await until(() => text().endsWith("}"));
    socket.write("GARBAGE\r\n\r\n");
    await closed();
    assert.deepEqual(statusesIn(text()), [200, 400]);
  });

  test("nothing that was sent after Connection: close is worked on", async () => {
    await using world = await openWorld();
    const close = `GET / HTTP/1.1\r\n${ends}${bearerOf(world)}\r\n`;
    assertAnswers(await sendRaw(world.port, close + create(bearerOf(world))));
    const { json } = await world.call("GET", `${api}/assets`, { token: world.tokens.ADMIN });
    assert.deepEqual(json, []);
  });

  const big = `POST ${login} HTTP/1.1\r\n${host}Content-Length: 9000000\r\n\r\n{`;
  for (const [what, second] of [
    ["is malformed", () => "GARBAGE\r\n\r\n"],
    ["is not whole", () => big],
    ["is whole", (bearer: string) => get(bearer)],
  ] as const) {
    test(`sent without waiting: nothing more is read where the second ${what}`, async () => {
      const waiting = makeWaitingRepositories();
      await using world = await openWorld({
        limits: { lingerMilliseconds: 20 },
        repositories: waiting.repositories,
      });
      const { socket, closed, text } = await dial(world.port);
      socket.write(asset(bearerOf(world), 1));
      await until(() => waiting.held.length === 1);
      socket.write(second(bearerOf(world)));
      await settle(world);
      const bytesRead = () => openSockets(world.port)[0]?.bytesRead;
      const read = bytesRead();
      socket.write("x".repeat(1_000_000));
      await settle(world);
      assert.ok(read);
      assert.equal(bytesRead(), read);
      waiting.letGo();
      await closed();
      assertAnswers(text());
    });
  }

  test("many in one write: Node's parser stops after the second", async () => {
    const waiting = makeWaitingRepositories();
    await using world = await openWorld({ repositories: waiting.repositories });
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    diagnostics.subscribe("http.server.request.start", count);
    const { socket, closed, text } = await dial(world.port);
    socket.write(asset(bearerOf(world), 1).repeat(200));
    await until(() => waiting.held.length === 1);
    waiting.letGo();
    await closed();
    diagnostics.unsubscribe("http.server.request.start", count);
    assertAnswers(text());
    assert.equal(parsed, 2);
    await until(() => openSockets(world.port).length === 0);
  });
});
