import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { makeWaitingRepositories, repositoriesListing } from "../support/own-reads.ts";
import { dial, sendRaw } from "../support/raw-client.ts";
import { bearerOf, ends, host, login, settle, statusesIn } from "../support/raw-request.ts";
import { aStoredAsset, aStoredLog } from "../support/test-records.ts";
import { until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

/** Says that a list goes on. */
const more = aStoredLog();

function assertOneAnswer(text: string): void {
  assert.deepEqual(statusesIn(text), [200]);
  assert.match(text, /connection: close\r\n/i);
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
    const world = await openWorld({ repositories: { ...repositories, assets } });
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
    await world.close();
  });

  test("sent without waiting: the first is answered, says close, and no other is worked on", async () => {
    const waiting = makeWaitingRepositories();
    const world = await openWorld({ repositories: waiting.repositories });
    const { socket, closed, text } = await dial(world.port);
    socket.write(asset(bearerOf(world), 1) + create(bearerOf(world)).repeat(2));
    await until(() => waiting.held.length === 1);
    socket.write(create(bearerOf(world)));
    waiting.letGo();
    await closed();
    assertOneAnswer(text());
    assert.deepEqual((await world.call("GET", `${api}/assets`, { token: world.tokens.ADMIN })).json, []);
    await world.close();
  });

  test("sent without waiting, whatever the third asks for: the first is answered, and the process goes on", async () => {
    const world = await openWorld();
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    for (const third of [
      get(bearerOf(world) + upgrade),
      `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
      "GARBAGE\r\n\r\n",
      get(`X: ${"x".repeat(20_000)}\r\n`),
    ]) {
      assertOneAnswer(await sendRaw(world.port, get(bearerOf(world)).repeat(2) + third));
    }
    await world.close();
  });

  test("sent when the head of an answer is out already: the answer is whole, and then the connection ends", async () => {
    let goOn = (): void => {};
    const list = async function* () {
      yield { json: Buffer.from("1"), next: more };
      yield { json: Buffer.from("2"), next: more };
      await new Promise<void>(resolve => {
        goOn = resolve;
      });
      yield { json: Buffer.from("3"), next: undefined };
    };
    const world = await openWorld({ repositories: repositoriesListing(list) });
    const { socket, closed, text } = await dial(world.port);
    socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`);
    // Node 26 sends what is written in one moment as one chunk.
    await until(() => /,(\r\n1\r\n)?2\r\n$/.test(text()));
    socket.write(get(bearerOf(world)));
    await settle(world);
    goOn();
    await closed();
    assert.equal(text().split("HTTP/1.1 ").length, 2);
    assert.ok(text().endsWith("\r\n0\r\n\r\n"));
    await world.close();
  });

  test("a malformed one after a good one ends the connection after the good one's answer", async () => {
    const world = await openWorld();
    const bad = `POST ${login} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
    for (const last of ["GARBAGE\r\n\r\n", "\0", bad, `${get(bearerOf(world))}GARBAGE\r\n\r\n`]) {
      assertOneAnswer(await sendRaw(world.port, get(bearerOf(world)) + last));
    }
    await until(() => world.load().requests === 0 && world.load().connections === 0);
    await world.close();
  });

  test("a malformed one after an answer is 400", async () => {
    const world = await openWorld();
    const { socket, closed, text } = await dial(world.port);
    socket.write(get(bearerOf(world)));
    await until(() => text().endsWith("}"));
    socket.write("GARBAGE\r\n\r\n");
    await closed();
    assert.deepEqual(statusesIn(text()), [200, 400]);
    await world.close();
  });

  test("nothing that was sent after Connection: close is worked on", async () => {
    const world = await openWorld();
    const close = `GET / HTTP/1.1\r\n${ends}${bearerOf(world)}\r\n`;
    assertOneAnswer(await sendRaw(world.port, close + create(bearerOf(world))));
    const { json } = await world.call("GET", `${api}/assets`, { token: world.tokens.ADMIN });
    assert.deepEqual(json, []);
    await world.close();
  });

  for (const [what, second] of [
    ["is malformed", "GARBAGE\r\n\r\n"],
    ["is not whole", `POST ${login} HTTP/1.1\r\n${host}Content-Length: 9000000\r\n\r\n{`],
  ] as const) {
    test(`sent without waiting: nothing more is read where the second ${what}`, async () => {
      const waiting = makeWaitingRepositories();
      const world = await openWorld({
        limits: { lingerMilliseconds: 20 },
        repositories: waiting.repositories,
      });
      const served: Socket[] = [];
      const watch = (message: unknown) => served.push((message as { socket: Socket }).socket);
      diagnostics.subscribe("http.server.request.start", watch);
      const { socket, closed, text } = await dial(world.port);
      socket.write(asset(bearerOf(world), 1));
      await until(() => waiting.held.length === 1);
      diagnostics.unsubscribe("http.server.request.start", watch);
      const [connection = assert.fail()] = served;
      socket.write(second);
      await settle(world);
      const read = connection.bytesRead;
      socket.write("x".repeat(1_000_000));
      await settle(world);
      assert.equal(connection.bytesRead, read);
      waiting.letGo();
      await until(() => text() !== "");
      await closed();
      assertOneAnswer(text());
      await world.close();
    });
  }

  test("many in one write: Node's parser stops after the second", async () => {
    const waiting = makeWaitingRepositories();
    const world = await openWorld({ repositories: waiting.repositories });
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
    assertOneAnswer(text());
    assert.equal(parsed, 2);
    await until(() => world.load().connections === 0 && world.load().requests === 0);
    await world.close();
  });
});
