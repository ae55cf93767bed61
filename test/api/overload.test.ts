import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EmailKey } from "../../src/domain/employee.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { openSockets } from "../support/accepted-sockets.ts";
import { makeWaitingRepositories, repositoriesListing } from "../support/own-reads.ts";
import { dial } from "../support/raw-client.ts";
import { assertRefusal, bearerOf, ends, host, login, settle } from "../support/raw-request.ts";
import { aStoredLog } from "../support/test-records.ts";
import { until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

/** Says that a list goes on. */
const more = aStoredLog();

describe("overload", () => {
  test("past the bound of requests under way the answer is 503, before any work is done", async () => {
    const waiting = makeWaitingRepositories();
    await using world = await openWorld({
      limits: { requests: 6, sweepMilliseconds: 10 },
      repositories: waiting.repositories,
    });
    const token = world.tokens.ADMIN;
    const another = (await world.join("ADMIN")).token;
    const underWay: ReturnType<typeof world.call>[] = [];
    const takeAllPlaces = async () => {
      for (const each of [token, token, token, world.tokens.MANAGER, world.tokens.TECHNICIAN, another]) {
        // It has as much as is left for all others. An owner who has nothing gets the last place.
        if (each === another)
          assert.equal((await world.call("GET", `${api}/assets/1`, { token })).status, 503);
        underWay.push(world.call("GET", `${api}/assets/1`, { token: each }));
        await until(() => waiting.held.length === underWay.length);
      }
    };
    await takeAllPlaces();
    for (const [method, path, options] of [
      ["GET", `${api}/assets/4`, { token, headers: { "x-request-id": "mine" } }],
      ["GET", "/", {}],
      ["POST", login, { body: { email: "a@example.com", password: "1234" } }],
      ["OPTIONS", "/", {}],
    ] as const) {
      const answer = await world.call(method, path, options);
      assert.deepEqual(
        [answer.status, answer.json],
        [503, { status: 503, msg: "The service is overloaded" }],
      );
      assert.equal(answer.headers.get("retry-after"), "1");
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      if (method === "GET" && path !== "/") assert.equal(answer.headers.get("x-request-id"), "mine");
    }
    assert.equal(waiting.held.length, 6);
    await until(() => world.recorded.some(({ details }) => details?.["requests"] !== undefined));
    const freeAllPlaces = async () => {
      waiting.letGo();
      for (const { status } of await Promise.all(underWay.splice(0))) assert.equal(status, 200);
    };
    await freeAllPlaces();
    await takeAllPlaces();
    await freeAllPlaces();
  });

  test("bodies that end in one moment get no more places than there are", async () => {
    const repositories = makeMemoryRepositories();
    const held: (() => void)[] = [];
    const findAccount = async (email: EmailKey) => {
      if (email !== "nobody@example.com") return repositories.employees.findAccount(email);
      await new Promise<void>(resolve => held.push(resolve));
      return undefined;
    };
    const employees = { ...repositories.employees, findAccount };
    await using world = await openWorld({
      limits: { requests: 4 },
      repositories: { ...repositories, employees },
    });
    const body = JSON.stringify({ email: "nobody@example.com", password: "a password" });
    const head = `POST ${login} HTTP/1.1\r\n${ends}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const dripping: Awaited<ReturnType<typeof dial>>[] = [];
    for (let left = 9; left > 0; left -= 1) {
      const client = await dial(world.port);
      client.socket.write(head + body.slice(0, -1));
      await settle(world);
      dripping.push(client);
    }
    for (const { socket } of dripping) socket.write(body.slice(-1));
    const refused = () => dripping.filter(({ text }) => text() !== "");
    await until(() => refused().length === 7 && held.length === 2);
    assert.equal(world.load().turnedAway.requests, 7);
    for (const { text } of refused()) assertRefusal(text(), 503, "The service is overloaded");
    for (const letGo of held.splice(0)) letGo();
    await until(() => refused().length === 9);
  });

  test("connections past the bound are closed without a response, and counted", async () => {
    await using world = await openWorld({ limits: { connections: 2, sweepMilliseconds: 10 } });
    const allowed = [await dial(world.port), await dial(world.port)];
    await until(() => openSockets(world.port).length === 2);
    const flood = await Promise.all(Array.from({ length: 20 }, () => dial(world.port)));
    await Promise.all(flood.map(({ closed }) => closed()));
    assert.equal(openSockets(world.port).length, 2);
    assert.equal(world.load().turnedAway.connections, 20);
    await until(() => world.recorded.some(({ details }) => Number(details?.["connections"]) > 0));
    for (const { socket, text } of allowed) {
      socket.write(`GET / HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`);
      await until(() => text().startsWith("HTTP/1.1 200 "));
      socket.destroy();
    }
    await until(() => openSockets(world.port).length === 0);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
  });
});

describe("a client that goes away", () => {
  test("in mid-header, mid-body, mid-work, mid-answer or mid-queue leaves nothing behind", async () => {
    const waiting = makeWaitingRepositories();
    let lists = 0;
    const list = async function* () {
      lists += 1;
      try {
        for (;;) yield { content: Buffer.from(JSON.stringify({ comment: "x".repeat(10_000) })), next: more };
      } finally {
        lists -= 1;
      }
    };
    await using world = await openWorld({ repositories: repositoriesListing(list, waiting.repositories) });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}${bearerOf(world)}\r\n`;
    const body = `POST ${login} HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
    for (const sent of [
      "GET / HTT",
      `GET / HTTP/1.1\r\n${host}`,
      `${body}Content-Length: 99\r\n\r\n{`,
      `${body}Transfer-Encoding: chunked\r\n\r\n5\r\n{`,
      `${body}Content-Length: 99\r\nExpect: 100-continue\r\n\r\n`,
      get(`${api}/assets/1`),
      get(`${api}/logs`),
      get(`${api}/logs`).repeat(5),
      get(`${api}/assets/1`) + get(`${api}/logs`).repeat(5),
      `${get(`${api}/logs`)}GARBAGE\r\n\r\n`,
      `${get(`${api}/logs`)}CONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
    ]) {
      for (const leave of ["end", "destroy", "resetAndDestroy"] as const) {
        const { socket, closed } = await dial(world.port);
        socket.write(sent, () => socket[leave]());
        if (leave === "end") setTimeout(() => socket.destroy(), 20);
        await closed();
      }
    }
    // Where a request waits nothing is read, so that the end is seen when the work before it is done.
    waiting.letGo();
    await until(() => openSockets(world.port).length === 0);
    assert.equal(lists, 0);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    assert.deepEqual(
      world.recorded.filter(({ level }) => level === "error"),
      [],
    );
  });
});
