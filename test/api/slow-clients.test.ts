import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { openSockets } from "../support/accepted-sockets.ts";
import { repositoriesListing } from "../support/own-reads.ts";
import { dial } from "../support/raw-client.ts";
import { bearerOf, host, login } from "../support/raw-request.ts";
import { aStoredLog } from "../support/test-records.ts";
import { once, until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

/** Says that a list goes on. */
const more = aStoredLog();

describe("slow clients", () => {
  // The limits are so small that nothing has to be waited for; how long it took is nowhere asked.
  const limits = {
    receiveMilliseconds: 400,
    lingerMilliseconds: 20,
    sweepMilliseconds: 10,
  };

  test("who drips is told 408 and cut, whatever drips; the service goes on", async () => {
    await using world = await openWorld({ limits });
    const request = `GET / HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`;
    const body = `POST ${login} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n`;
    for (const [what, first, drop] of [
      ["nothing at all", "", ""],
      ["CRLF before a request", "", "\r\n"],
      ["a request line", "", "G"],
      ["headers", `GET / HTTP/1.1\r\n${host}`, "A: b\r\n"],
      ["a body", body, "x"],
      ["chunks", body.replace("Content-Length: 4000", "Transfer-Encoding: chunked"), "1\r\nx\r\n"],
      ["headers after an answer", `${request}GET / HTTP/1.1\r\n`, "A: b\r\n"],
    ] as const) {
      const { socket, closed, text } = await dial(world.port);
      if (first !== "") socket.write(first);
      const dripping = setInterval(() => drop !== "" && socket.write(drop), 5);
      await closed();
      clearInterval(dripping);
      // A drop that crosses the cut can make a reset of it, which takes the last answer along.
      if (drop === "" || text().includes("HTTP/1.1 408 "))
        assert.match(text(), /\{"status":408,"msg":"Request took too long"\}$/, what);
      assert.doesNotMatch(text(), /^HTTP\/1\.1 413 /m, what);
      if (what.includes("after an answer")) assert.match(text(), /^HTTP\/1\.1 200 /);
    }
    await until(() => openSockets(world.port).length === 0);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    // Each is in the log once, and in the count for ever.
    const logged = () =>
      world.recorded
        .filter(({ event }) => event === "clients turned away")
        .reduce((sum, { details }) => sum + Number(details?.["slowClients"]), 0);
    assert.ok(world.load().turnedAway.slowClients > 0);
    await until(() => logged() === world.load().turnedAway.slowClients);
  });

  test("who never closes a connection that has been refused is cut", async () => {
    // Not by the time-out of a connection on which nothing moves.
    await using world = await openWorld({ limits: { ...limits, stallMilliseconds: 3_600_000 } });
    const get = `GET / HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`;
    for (const sent of ["GARBAGE\r\n\r\n", `${get}GARBAGE\r\n\r\n`, get.repeat(5)]) {
      const socket = connect({ port: world.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => {}).resume();
      socket.write(sent);
      await once(socket, "end");
      await until(() => openSockets(world.port).length === 0);
      socket.destroy();
    }
  });

  test("who takes nothing of a long answer is cut, and the reading of the list ends", async () => {
    let ended = false;
    const list = async function* () {
      try {
        for (;;) yield { content: Buffer.from(JSON.stringify({ comment: "x".repeat(100_000) })), next: more };
      } finally {
        ended = true;
      }
    };
    await using world = await openWorld({
      limits: { ...limits, stallMilliseconds: 100 },
      repositories: repositoriesListing(list),
    });
    const { socket, closed } = await dial(world.port);
    socket.pause();
    socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`);
    await until(() => ended);
    socket.resume();
    await closed();
    await until(() => openSockets(world.port).length === 0);
    assert.equal(world.load().turnedAway.slowClients, 1);
  });
});

describe("lists whose clients take nothing", () => {
  test("do not end those of others: while they are read another one is 503, and all that have begun come whole", async () => {
    const list = async function* () {
      for (let left = 40; left > 0; left -= 1)
        yield { content: Buffer.alloc(256 * 1024, "1"), next: left > 1 ? more : undefined };
    };
    const limits = { responseBytes: 400_000, longListBytes: 100_000, slowReaderMilliseconds: 60_000 };
    await using world = await openWorld({ limits, repositories: repositoriesListing(list) });
    const whole = 40 * 256 * 1024 + 41;
    const responses = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const response = await fetch(`http://127.0.0.1:${world.port}${api}/logs`, {
          headers: { authorization: `Bearer ${world.tokens.ADMIN}` },
        });
        return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
      }),
    );
    const sent = responses.filter(({ status }) => status === 200);
    assert.ok(sent.length >= 2);
    assert.ok(sent.every(({ bytes }) => bytes === whole));
    assert.ok(responses.every(({ status }) => status === 200 || status === 503));
    const { slowClients, requests } = world.load().turnedAway;
    assert.deepEqual([slowClients, requests], [0, responses.length - sent.length]);
  });

  test("of one chunk take room for it", async () => {
    const list = async function* () {
      yield { content: Buffer.alloc(20_000_000, "1"), next: undefined };
    };
    const limits = { responseBytes: 100_000_000, longListBytes: 1, slowReaderMilliseconds: 60_000 };
    await using world = await openWorld({ limits, repositories: repositoriesListing(list) });
    const silent = [await dial(world.port), await dial(world.port)];
    for (const { socket, text } of silent) {
      socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`);
      await until(() => text() !== "");
      socket.pause();
    }
    const refused = () => world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
    assert.equal((await refused()).status, 503);
    for (const { socket } of silent) socket.destroy();
  });

  test("are cut off for another one where their clients take nothing, and not where they only began first", async () => {
    const list = async function* () {
      for (;;) yield { content: Buffer.alloc(256 * 1024, "1"), next: more };
    };
    const limits = { responseBytes: 400_000, longListBytes: 100_000, slowReaderMilliseconds: 0 };
    await using world = await openWorld({ limits, repositories: repositoriesListing(list) });
    const ask = () => {
      const socket = connect(world.port, "127.0.0.1").on("error", () => {});
      socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`);
      return socket;
    };
    const reader = ask().resume();
    await until(() => reader.bytesRead > 0);
    const silent = ask();
    await once(silent, "readable");
    const begun = reader.bytesRead;
    await until(() => reader.bytesRead > begun + 30_000_000);
    const third = ask();
    await until(() => world.load().turnedAway.slowClients === 1);
    await until(() => reader.bytesRead > begun + 60_000_000 || reader.closed);
    assert.equal(reader.closed, false);
    for (const socket of [reader, silent, third]) socket.destroy();
  });
});
