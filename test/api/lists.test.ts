import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import type { LogList } from "../../src/application/ports.ts";
import { DomainError } from "../../src/domain/error.ts";
import { repositoriesListing } from "../support/own-reads.ts";
import { dial, sendRaw } from "../support/raw-client.ts";
import { bearerOf, host } from "../support/raw-request.ts";
import { aStoredLog } from "../support/test-records.ts";
import { once, until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

const nextTurn = () => new Promise(resolve => setImmediate(resolve));

const log = (index: number) => aStoredLog({ id: 1 + index, comment: "x".repeat(1_000) });
const logsFrom = (first: number, size = 100) => Array.from({ length: size }, (_, i) => log(first + i));
const pieceFrom = (first: number) => ({
  content: Buffer.from(JSON.stringify(logsFrom(first)).slice(1, -1)),
  next: log(first + 99),
});

async function* piecesOf(count: number): LogList {
  for (let i = 0; i < count; i += 1)
    yield { ...pieceFrom(i * 100), ...(i + 1 === count ? { next: undefined } : {}) };
}

/** The service with a list of logs of our own making. */
const openWorldListing = (list: () => LogList) => openWorld({ repositories: repositoriesListing(list) });

describe("whole lists", () => {
  for (const pieces of [0, 1, 2, 3, 7]) {
    test(`${pieces} pieces arrive as one JSON array`, async () => {
      await using world = await openWorldListing(() => piecesOf(pieces));
      const { status, json, headers } = await world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
      assert.equal(status, 200);
      assert.deepEqual(json, logsFrom(0, pieces * 100));
      assert.equal(headers.get("content-length") === null, pieces > 1, "a list of one piece has a length");
    });
  }

  test("end when the socket has taken the rest: with TLS Node would refuse the next request as malformed", async () => {
    for (const pieces of [1, 3]) {
      await using world = await openWorldListing(() => piecesOf(pieces));
      const waits: boolean[] = [];
      const watch = (message: unknown): void => {
        const { response, socket } = message as { response: ServerResponse; socket: Socket };
        const end = response.end.bind(response);
        response.end = (...rest: unknown[]) => {
          waits.push(socket.writableNeedDrain);
          return end(...(rest as []));
        };
      };
      diagnostics.subscribe("http.server.request.start", watch);
      const { text } = await world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
      diagnostics.unsubscribe("http.server.request.start", watch);
      assert.ok(text.length > 100_000);
      assert.deepEqual(waits, [false]);
    }
  });

  test("are over with their response: the next request on the connection is worked on", async () => {
    for (const pieces of [1, 3]) {
      await using world = await openWorldListing(async function* () {
        try {
          yield* piecesOf(pieces);
        } finally {
          // As long as a statement that was begun for a page which nobody wants.
          for (let turn = 0; turn < 100; turn += 1) await nextTurn();
        }
      });
      const { socket, text } = await dial(world.port);
      const isWhole = () => text().endsWith(pieces === 1 ? "]" : "]\r\n0\r\n\r\n");
      const request = (path: string) => `GET ${path} HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`;
      socket.write(request(`${api}/logs`));
      await until(isWhole);
      socket.write(request("/"));
      await until(() => text().endsWith('Service"}') || socket.closed);
      assert.equal(text().split("HTTP/1.1 200 ").length, 3);
      socket.destroy();
    }
  });

  test("pieces whose memory is used again arrive as they were, however slowly the client reads", async () => {
    const pieces = 60;
    await using world = await openWorldListing(async function* () {
      let room = Buffer.alloc(0);
      for (let i = 0; i < pieces; i += 1) {
        const { content, next } = pieceFrom(i * 100);
        if (room.length < content.length) room = Buffer.alloc(content.length);
        content.copy(room);
        yield { content: room.subarray(0, content.length), next: i + 1 === pieces ? undefined : next };
        room.fill("!");
      }
    });
    const socket = connect(world.port, "127.0.0.1");
    socket.write(`GET ${api}/logs HTTP/1.0\r\n${host}${bearerOf(world)}\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) {
      chunks.push(chunk);
      if (chunks.length % 10 === 0) await nextTurn();
    }
    const [, body = ""] = Buffer.concat(chunks).toString().split("\r\n\r\n");
    assert.deepEqual(JSON.parse(body), logsFrom(0, pieces * 100));
  });

  test("a failure before the first piece is an ordinary error", async () => {
    await using world = await openWorldListing(async function* () {
      yield { content: Buffer.alloc(0), next: log(1) };
      throw new DomainError("UNAVAILABLE", "The database is not available");
    });
    const { status, json } = await world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
    assert.deepEqual([status, json.msg], [503, "The database is not available"]);
  });

  test("a failure in mid-list destroys the connection: nobody takes a cut list for a whole one", async () => {
    await using world = await openWorldListing(async function* () {
      for (let i = 0; i < 4; i += 1) yield pieceFrom(i * 100);
      throw new Error("the database went away");
    });
    await assert.rejects(world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN }));
    const request = `GET ${api}/logs HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`;
    const answer = await sendRaw(world.port, request).catch(error => String(error));
    assert.doesNotMatch(answer, /\r\n0\r\n\r\n$/, "the end of a chunked body must be missing");
    const event = world.recorded.find(({ level }) => level === "error");
    assert.match(String(event?.details?.["cause"]), /the database went away/);
  });

  test("no more is read than the client takes, and reading ends when the client goes away", async () => {
    let [read, hasEnded] = [0, false];
    await using world = await openWorldListing(async function* () {
      try {
        // Ten gigabytes, if anybody asked for them.
        for (; read < 100_000; read += 1) yield pieceFrom(read * 100);
      } finally {
        hasEnded = true;
      }
    });
    const socket = connect(world.port, "127.0.0.1");
    socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`);
    await once(socket, "readable");
    // Nothing is taken from the socket, so its buffers fill up and the reading stops.
    let before = -1;
    while (before !== read) {
      before = read;
      for (let turn = 0; turn < 200; turn += 1) await new Promise(resolve => setImmediate(resolve));
    }
    assert.ok(read < 1_000, `${read} pieces were read for a client that takes nothing`);
    socket.destroy();
    await until(() => hasEnded);
  });

  test("the search for a whole list goes on over pieces without logs, until the client goes away", async () => {
    let [hasBegun, hasEnded, found] = [false, false, 0];
    await using world = await openWorldListing(async function* () {
      hasBegun = true;
      try {
        for (; found === 0; ) {
          await nextTurn();
          yield { content: Buffer.alloc(0), next: log(1) };
        }
        yield pieceFrom(0);
        yield { content: Buffer.alloc(0), next: log(1) };
        yield pieceFrom(100);
      } finally {
        hasEnded = true;
      }
    });
    const head = `GET ${api}/logs HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`;
    const socket = connect(world.port, "127.0.0.1", () => socket.write(head));
    await until(() => hasBegun);
    socket.destroy();
    await until(() => hasEnded);
    found = 1;
    const { json } = await world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
    assert.deepEqual(json, logsFrom(0, 200));
  });

  test("HEAD does not read the list to its end", async () => {
    let read = 0;
    await using world = await openWorldListing(async function* () {
      for (; read < 1_000; read += 1) yield pieceFrom(read * 100);
    });
    const { status } = await world.call("HEAD", `${api}/logs`, { token: world.tokens.ADMIN });
    assert.equal(status, 200);
    assert.ok(read < 3);
  });
});
