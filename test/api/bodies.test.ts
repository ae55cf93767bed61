import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { HttpLimits } from "../../src/adapters/http/request/limits.ts";
import type { EmailKey } from "../../src/domain/employee.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { openSockets } from "../support/accepted-sockets.ts";
import { repositoriesListing } from "../support/own-reads.ts";
import { dial, sendRaw } from "../support/raw-client.ts";
import { assertRefusal, bearerOf, host, login, settle, statusesIn } from "../support/raw-request.ts";
import { anAsset, aStoredLog } from "../support/test-records.ts";
import { deferred, until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

/** Header fields, which take 25 KB. */
const manyFields = Array.from({ length: 90 }, (_, at) => `X-${at}: ${"v".repeat(70)}\r\n`).join("");

/** Says that a list goes on. */
const more = aStoredLog();

describe("bodies under way", () => {
  const head = (path: string, more: string) =>
    `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/json\r\n${more}\r\n`;

  test("without a token take a part of what all may take; a token's holder is still served", async () => {
    const bounds = {
      // As many as there are bodies: who waits for one takes nobody's place.
      requests: 4,
      bodyBytes: 96 * 1024,
      bodyBytesWithoutToken: 76 * 1024,
      lingerMilliseconds: 20,
      sweepMilliseconds: 10,
    };
    await using world = await openWorld({ limits: bounds });
    const attackers = await Promise.all(Array.from({ length: 40 }, () => dial(world.port)));
    const body = `${head(login, "Content-Length: 4096\r\n")}${"x".repeat(4_095)}`;
    for (const { socket } of attackers) socket.write(body);
    const refused = () => attackers.filter(({ text }) => text() !== "");
    await until(() => refused().length === 36);
    for (const { text } of refused()) {
      assertRefusal(text(), 503, "The service is overloaded");
      assert.match(text(), /retry-after: 1\r\n/i);
      assert.match(text(), /connection: close\r\n/i);
    }
    await Promise.all(refused().map(({ closed }) => closed()));
    assert.equal(world.load().turnedAway.bodies, 36);
    await until(() => world.recorded.some(({ details }) => Number(details?.["bodies"]) > 0));

    const token = world.tokens.ADMIN;
    const comment = "x".repeat(40_000);
    const asset = () => world.call("POST", `${api}/assets`, { token, body: { name: "Pump", comment } });
    assert.equal((await asset()).status, 201);
    const big = await dial(world.port);
    big.socket.write(
      `${head(`${api}/assets`, `${bearerOf(world)}Content-Length: 36000\r\n`)}${"x".repeat(35_999)}`,
    );
    const ofBig = () => openSockets(world.port).find(({ remotePort }) => remotePort === big.socket.localPort);
    await until(() => Number(ofBig()?.bytesRead) > 36_000);
    // There is no room for both, and the one that never ends is given up.
    assert.equal((await asset()).status, 201);
    await until(() => big.text() !== "");
    assertRefusal(big.text(), 503, "The service is overloaded");

    for (const { socket } of [...attackers, big]) socket.destroy();
  });

  test("of a connection that ended while the token was checked are given up", async () => {
    const repositories = makeMemoryRepositories();
    const waiting: (() => void)[] = [];
    let isHeld = false;
    const findAccount = async (email: EmailKey) => {
      if (isHeld) await new Promise<void>(resolve => waiting.push(resolve));
      return repositories.employees.findAccount(email);
    };
    const employees = { ...repositories.employees, findAccount };
    const limits = { requests: 1, bodyBytes: 8_192 };
    await using world = await openWorld({ limits, repositories: { ...repositories, employees } });
    isHeld = true;
    const { socket } = await dial(world.port);
    socket.write(`${head(`${api}/assets`, `${bearerOf(world)}Content-Length: 20\r\n`)}{`);
    await until(() => waiting.length === 1);
    socket.resetAndDestroy();
    await until(() => openSockets(world.port).length === 0);
    isHeld = false;
    for (const letGo of waiting) letGo();
    // Its place, which is the only one, and its memory are there for another body.
    const body = { name: "Pump" };
    const write = () => world.call("POST", `${api}/assets`, { token: world.tokens.ADMIN, body });
    await until(async () => (await write()).status === 201);
  });

  test("that there is no room for are not asked for", async () => {
    await using world = await openWorld({ limits: { bodyBytesWithoutToken: 1_000, lingerMilliseconds: 20 } });
    const expecting = head(login, "Content-Length: 9\r\nExpect: 100-continue\r\n");
    assertRefusal(await sendRaw(world.port, expecting), 503, "The service is overloaded");
  });

  // A login asks for no token, so that one of it, be it of somebody, gives its body no more memory.
  for (const [what, tokenOf] of [
    ["a token that is none", () => "Authorization: Bearer x\r\n"],
    ["a token", (bearer: string) => bearer],
  ] as const) {
    test(`that never end keep nobody from logging in, though they have ${what}`, async () => {
      await using world = await openWorld({ limits: { bodyBytesWithoutToken: 45 * 1024 } });
      const attackers = await Promise.all(Array.from({ length: 10 }, () => dial(world.port)));
      const begun = `${head(login, `${tokenOf(bearerOf(world))}Content-Length: 9\r\n`)}{`;
      for (const { socket } of attackers) socket.write(begun);
      await until(() => world.load().turnedAway.bodies === 6);
      const slow = await dial(world.port);
      const body = JSON.stringify({ email: "nobody@example.com", password: "a password" });
      slow.socket.write(`${head(login, `Content-Length: ${body.length}\r\n`)}${body.slice(0, 9)}`);
      await until(() => world.load().turnedAway.bodies === 7);
      slow.socket.write(body.slice(9));
      await until(() => slow.text() !== "");
      assertRefusal(slow.text(), 401, "Wrong email or password");
      for (const { socket } of [...attackers, slow]) socket.destroy();
    });
  }

  for (const [what, room, status] of [
    ["too large", 16 * 1024 * 1024, 413],
    ["given up for others", 50 * 64 * 1024, 503],
  ] as const) {
    test(`that are ${what} are let go at once, though their rest still drips in`, async () => {
      setFlagsFromString("--expose-gc");
      const collectGarbage = runInNewContext("gc") as () => void;
      await using world = await openWorld({ limits: { bodyBytes: room, lingerMilliseconds: 3_600_000 } });
      const held = () => {
        collectGarbage();
        return process.memoryUsage().arrayBuffers;
      };
      const clients = await Promise.all(Array.from({ length: 100 }, () => dial(world.port)));
      await until(() => openSockets(world.port).length === 100);
      const before = held();
      const begun = head(`${api}/assets`, `${bearerOf(world)}Transfer-Encoding: chunked\r\n`);
      for (const { socket } of clients) socket.write(`${begun}ffff\r\n${"x".repeat(65_535)}\r\n`);
      if (status === 413) for (const { socket } of clients) socket.write("2\r\nyy\r\n");
      const refused = () => clients.filter(({ text }) => text() !== "");
      // An owner gets a half of the room.
      await until(() => refused().length >= (status === 413 ? 100 : 70));
      for (const { text } of refused()) assertRefusal(text(), status);
      const keptBytes = 65_536 * (clients.length - refused().length);
      await until(() => held() < before + keptBytes + 1_000_000);
      assert.equal(openSockets(world.port).length, 100);
      for (const { socket } of clients) socket.resetAndDestroy();
      await until(() => openSockets(world.port).length === 0);
    });
  }

  test("are not read by who answers without them", async () => {
    await using world = await openWorld({ limits: { lingerMilliseconds: 20 } });
    for (const [path, more, status] of [
      ["/nope", "", 403],
      ["/nope", bearerOf(world), 404],
      [`${api}/auth/login/`, bearerOf(world), 404],
      ["/", bearerOf(world), 405],
      [`${api}/assets`, "", 403],
      [`${api}/assets`, "Authorization: Bearer x\r\n", 403],
      [`${api}/assets`, `Authorization: Bearer ${world.tokens.TECHNICIAN}\r\n`, 403],
      [`${api}/assets/x/logs`, bearerOf(world), 400],
      [login, "", 413],
    ] as const) {
      const answer = await sendRaw(world.port, `${head(path, `${more}Content-Length: 60000\r\n`)}{`);
      assertRefusal(answer, status);
      assert.match(answer, /connection: close\r\n/i);
    }
  });
});

describe("a response that is sent while the body of its request still arrives", () => {
  const get = (path: string, bearer: string, length: number) =>
    `GET ${path} HTTP/1.1\r\n${host}${bearer}Content-Length: ${length}\r\n\r\n`;

  /** A list of three pieces; the last one comes when the test says so. */
  async function openListing(limits: Partial<HttpLimits>) {
    const { promise: isAsked, resolve: goOn } = deferred();
    const list = async function* () {
      yield { content: Buffer.from("1"), next: more };
      yield { content: Buffer.from("2"), next: more };
      await isAsked;
      yield { content: Buffer.from("3"), next: undefined };
    };
    const world = await openWorld({ limits, repositories: repositoriesListing(list) });
    return { world, goOn };
  }

  for (const [what, body] of [
    ["never comes", ""],
    ["drips", "x"],
    ["is not chunked as it says", "zz\r\n"],
  ] as const) {
    test(`a list is whole, though the body ${what}`, async () => {
      const { world, goOn } = await openListing({
        receiveMilliseconds: 1_000,
        sweepMilliseconds: 10,
        lingerMilliseconds: 20,
      });
      const { socket, closed, text } = await dial(world.port);
      const head = get(`${api}/logs`, bearerOf(world), 4_000);
      socket.write(
        what.includes("chunked") ? head.replace("Content-Length: 4000", "Transfer-Encoding: chunked") : head,
      );
      await until(() => /,(\r\n1\r\n)?2\r\n$/.test(text()));
      socket.write(body);
      const dripping = setInterval(() => what === "drips" && socket.write(body), 5);
      if (!what.includes("chunked")) await until(() => world.load().turnedAway.slowClients === 1);
      await settle(world);
      goOn();
      await closed();
      clearInterval(dripping);
      assert.match(text(), /^HTTP\/1\.1 200 [\s\S]*connection: close\r\n/i);
      assert.equal(text().split("HTTP/1.1 ").length, 2);
      assert.ok(text().endsWith("\r\n0\r\n\r\n"), text());
      await world.close();
    });
  }

  test("counts with the head of its request, and of a next one, and those that wait longest are cut off", async () => {
    await using world = await openWorld({
      limits: { responseBytes: 800_000, slowReaderMilliseconds: 0, lingerMilliseconds: 3_600_000 },
    });
    const attackers = await Promise.all(Array.from({ length: 40 }, () => dial(world.port)));
    for (const { socket, text } of attackers) {
      socket.write(get("/", manyFields, 4_000));
      await until(() => text() !== "");
      assertRefusal(text(), 403);
      socket.write("x");
    }
    await until(() => world.load().turnedAway.slowClients === 34);
    await Promise.all(attackers.slice(0, 34).map(({ closed }) => closed()));
    assert.equal(openSockets(world.port).length, 6);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    for (const { socket } of attackers) socket.resetAndDestroy();
  });

  test("what arrives is thrown away until its end, and the connection is closed then", async () => {
    // Who only reads on takes nobody's place.
    const world = await openWorld({ limits: { requests: 1, lingerMilliseconds: 3_600_000 } });
    for (const path of ["/", "/nope"]) {
      const { socket, closed, text, failure } = await dial(world.port);
      const length = 4 * 70_000;
      socket.write(get(path, bearerOf(world), length));
      await until(() => text().endsWith("}"));
      assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
      for (let i = 0; i < 4; i += 1) {
        socket.write("x".repeat(70_000));
        await settle(world);
      }
      await closed();
      assert.match(text(), /connection: close\r\n/i);
      assert.equal(failure(), undefined);
    }
    const { goOn, world: listing } = await openListing({ lingerMilliseconds: 3_600_000 });
    const { socket, closed, text } = await dial(listing.port);
    socket.write(get(`${api}/logs`, bearerOf(listing), 70_000));
    goOn();
    // Node 26 sends several parts in one chunk.
    await until(() => /\r\n\r\n[\s\S]*3\]?\r\n/.test(text()));
    await settle(listing);
    assert.ok(
      !text().endsWith("\r\n0\r\n\r\n"),
      "who has sent all may close, and what still arrives would reset it",
    );
    socket.write("x".repeat(70_000));
    await closed();
    assert.ok(text().endsWith("\r\n0\r\n\r\n"), text());
    for (const one of [world, listing]) await one.close();
  });
});

describe("a request that cannot be read to its end", () => {
  type Opened = Awaited<ReturnType<typeof openHolding>>;
  type Client = Awaited<ReturnType<typeof dial>>;

  /** A world in which a change of an asset, or the reading of accounts, waits as the test says. */
  async function openHolding(receiveMilliseconds = 3_600_000, lingerMilliseconds = 20) {
    const { assets, employees, ...others } = makeMemoryRepositories();
    const held = { what: "nothing" as "nothing" | "changes" | "accounts", letGo: [] as (() => void)[] };
    const holding =
      <Given extends unknown[], Result>(what: typeof held.what, call: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        if (held.what === what) await new Promise<void>(resolve => held.letGo.push(resolve));
        return call(...given);
      };
    const setActive = holding("changes", assets.setActive);
    const findAccount = holding("accounts", employees.findAccount);
    const world = await openWorld({
      limits: { receiveMilliseconds, sweepMilliseconds: 10, lingerMilliseconds },
      repositories: {
        ...others,
        assets: { ...assets, setActive },
        employees: { ...employees, findAccount },
      },
    });
    const { id } = await world.ports.assets.insert(anAsset());
    const isActive = async () => (await world.ports.assets.find(id)).active;
    return { world, held, change: `DELETE ${api}/assets/${id}`, isActive };
  }

  const chunked = ({ world }: Opened, request: string, token = bearerOf(world)) =>
    `${request} HTTP/1.1\r\n${host}${token}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;

  const statusesLogged = ({ world }: Opened, method: string) =>
    world.recorded
      .filter(({ event, details }) => event === "request" && details?.["method"] === method)
      .map(({ details }) => details?.["status"]);

  for (const [how, status, msg, goWrong, milliseconds] of [
    ["the body is malformed", 400, "Malformed HTTP request", ({ socket }) => socket.write("zz\r\n")],
    ["the client ends its side", 400, "Malformed HTTP request", ({ socket }) => socket.end()],
    ["time is over", 408, "Request took too long", () => {}, 1_000],
  ] as const satisfies [string, number, string, (client: Client) => unknown, number?][]) {
    /** Sends a request, and lets what it waits for go on when the service knows that it will not come to its end. */
    async function send({ world, held }: Opened, what: typeof held.what, sent: string): Promise<string> {
      const client = await dial(world.port);
      const { slowClients } = world.load().turnedAway;
      held.what = what;
      client.socket.write(sent);
      await until(() => held.letGo.length === 1);
      goWrong(client);
      if (status === 408) await until(() => world.load().turnedAway.slowClients > slowClients);
      await settle(world);
      held.what = "nothing";
      for (const go of held.letGo.splice(0)) go();
      await client.closed();
      return client.text();
    }

    for (const [when, what, isMade] of [
      ["while its route works, a change is made and its response sent", "changes", true],
      ["before its route begins, a change is refused and not made", "accounts", false],
    ] as const)
      test(`${when}: ${how}`, async () => {
        const opened = await openHolding(milliseconds);
        await using _ = opened.world;
        const text = await send(opened, what, chunked(opened, opened.change));
        if (!isMade) assertRefusal(text, status, msg);
        const expected = isMade ? 204 : status;
        assert.deepEqual(statusesIn(text), [expected]);
        assert.match(text, /connection: close\r\n/i);
        assert.equal(await opened.isActive(), !isMade);
        assert.deepEqual(statusesLogged(opened, "DELETE"), [expected]);
      });

    test(`while its token is checked or its body arrives, nothing is created: ${how}`, async () => {
      const opened = await openHolding(milliseconds);
      await using world = opened.world;
      const create = chunked(opened, `POST ${api}/assets`);
      assertRefusal(await send(opened, "accounts", create), status, msg);
      const client = await dial(world.port);
      client.socket.write(`${create}1\r\n{\r\n`);
      await settle(world);
      goWrong(client);
      await client.closed();
      assertRefusal(client.text(), status, msg);
      assert.deepEqual(statusesIn(client.text()), [status]);
      assert.deepEqual(statusesLogged(opened, "POST"), [status, status]);
    });
  }

  test("and drips on when its time is over, does not keep its response from its end", async () => {
    const opened = await openHolding(1_000, 200);
    await using world = opened.world;
    opened.held.what = "changes";
    const { socket, closed } = await dial(world.port);
    socket.write(chunked(opened, opened.change));
    const dripping = setInterval(() => socket.write("1\r\nx\r\n"), 5);
    await until(() => world.load().turnedAway.slowClients === 1);
    for (const go of opened.held.letGo) go();
    await closed();
    clearInterval(dripping);
    await until(() => statusesLogged(opened, "DELETE").length === 1);
    assert.deepEqual(statusesLogged(opened, "DELETE"), [204]);
  });

  test("in one write with its malformed body it is refused, without a token for that", async () => {
    const opened = await openHolding();
    await using world = opened.world;
    const send = (token?: string) => sendRaw(world.port, `${chunked(opened, opened.change, token)}zz\r\n`);
    assertRefusal(await send(), 400, "Malformed HTTP request");
    assertRefusal(await send(""), 403, "Token is missing");
    assert.equal(await opened.isActive(), true);
  });
});
