import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { openSockets } from "../support/accepted-sockets.ts";
import { repositoriesListing } from "../support/own-reads.ts";
import { host } from "../support/raw-request.ts";
import { aStoredAsset } from "../support/test-records.ts";
import { until } from "../support/until.ts";
import { api, openWorld, type World } from "../support/world.ts";

/** More than the kernel takes for a client on loopback that reads nothing. */
const manyBytes = 16_000_000;

/** One asset is a response of many bytes. */
function withBigAsset(repositories = makeMemoryRepositories()) {
  const big = aStoredAsset({ id: 1, name: "x".repeat(manyBytes) });
  return { ...repositories, assets: { ...repositories.assets, find: async () => big } };
}

/** Sends a request and reads nothing, until it is told to. */
function ask({ port }: World, token: string, paths: readonly string[]): Socket {
  const socket = connect(port, "127.0.0.1")
    .on("error", () => {})
    .pause();
  for (const path of paths)
    socket.write(`GET ${path} HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

/** The connections on which most of such a response waits. */
const unread = ({ port }: World): number =>
  openSockets(port).filter(({ writableLength }) => writableLength > manyBytes / 2).length;

const asset = `${api}/assets/1`;
const logs = `${api}/logs`;

describe("responses that their clients do not take", () => {
  test("take no place", async () => {
    await using world = await openWorld({
      limits: { requests: 4, responseBytes: 20 * manyBytes },
      repositories: withBigAsset(),
    });
    const token = world.tokens.TECHNICIAN;
    const silent: Socket[] = [];
    for (let asked = 1; asked <= 8; asked += 1) {
      silent.push(ask(world, token, [asset]));
      await until(() => unread(world) === asked || world.load().turnedAway.requests > 0);
    }
    for (const each of [token, world.tokens.ADMIN])
      assert.equal((await world.call("GET", `${api}/employees/me`, { token: each })).status, 200);
    assert.equal(world.load().turnedAway.requests, 0);
    for (const socket of silent) socket.destroy();
  });

  test("hold back the request behind them", async () => {
    let lists = 0;
    const list = async function* () {
      lists += 1;
      yield { content: Buffer.from("1"), next: undefined };
    };
    await using world = await openWorld({ repositories: withBigAsset(repositoriesListing(list)) });
    const { TECHNICIAN: token } = world.tokens;
    const socket = ask(world, token, [asset]);
    await until(() => unread(world) === 1);
    await world.call("OPTIONS", "/");
    socket.write(`GET ${logs} HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n\r\n`);
    await world.call("OPTIONS", "/");
    assert.equal(lists, 0);
    let read = 0;
    socket.on("data", chunk => {
      read += chunk.length;
    });
    socket.resume();
    await until(() => lists === 1 && read > manyBytes && unread(world) === 0);
    socket.destroy();
  });

  test("make room for others, the oldest first, and are cut off by the service", async () => {
    const cuts: string[] = [];
    const meter = { responded() {}, refused() {}, cut: (by: string) => cuts.push(by) };
    await using world = await openWorld({
      limits: { responseBytes: 7 * manyBytes, slowReaderMilliseconds: 0 },
      repositories: withBigAsset(),
      meter,
    });
    const token = world.tokens.TECHNICIAN;
    const silent: Socket[] = [];
    // One owner holds three at most, which are fewer bytes than are left for others.
    for (let asked = 1; asked <= 5; asked += 1) {
      silent.push(ask(world, token, [asset]));
      await until(() => unread(world) === Math.min(asked, 3));
      await until(() => cuts.length === Math.max(asked - 3, 0));
    }
    assert.deepEqual(cuts, ["service", "service"]);
    const kept = silent.slice(2);
    for (const cut of silent.slice(0, 2)) await until(() => cut.resume().closed);
    assert.ok(kept.every(({ closed }) => !closed));
    await until(() => world.recorded.filter(({ details }) => details?.["cut"]).length === 2);
    assert.equal(world.load().turnedAway.slowClients, 2);
    for (const socket of kept) socket.destroy();
  });
});

describe("bodies that never end", () => {
  test("of one employee keep nobody else from writing or logging in", async () => {
    await using world = await openWorld({ limits: { bodyBytes: 64 * 1024, lingerMilliseconds: 20 } });
    const { TECHNICIAN: token, ADMIN } = world.tokens;
    const body = "x".repeat(20_000);
    const head = [
      `POST ${api}/assets/1/logs HTTP/1.1`,
      `${host}Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length + 1}`,
    ];
    const silent = Array.from({ length: 10 }, () => {
      const socket = connect(world.port, "127.0.0.1").on("error", () => {});
      socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
      return socket;
    });
    await until(() => world.load().turnedAway.bodies >= 9);
    const comment = "x".repeat(25_000);
    for (let i = 0; i < 5; i += 1) {
      const created = await world.call("POST", `${api}/assets`, {
        token: ADMIN,
        body: { name: "Pump", comment },
      });
      assert.equal(created.status, 201);
      const failed = { email: "nobody@example.com", password: "a password" };
      assert.equal((await world.call("POST", `${api}/auth/login`, { body: failed })).status, 401);
    }
    for (const socket of silent) socket.destroy();
  });
});
