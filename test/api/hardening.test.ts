import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { makeRoutes } from "../../src/adapters/http/api/routes.ts";
import { makeClientAddress } from "../../src/adapters/http/request/client-address.ts";
import { makeCors } from "../../src/adapters/http/request/cors.ts";
import { type HttpLimits, httpLimits } from "../../src/adapters/http/server/limits.ts";
import { makeHttpServer } from "../../src/adapters/http/server/server.ts";
import { makeUseCases } from "../../src/app.ts";
import type { Repositories } from "../../src/application/ports.ts";
import type { EmailKey } from "../../src/domain/employee.ts";
import { makeMemoryRepositories } from "../fakes/memory-repositories.ts";
import { makeClient } from "../support/client.ts";
import { dial, sendRaw } from "../support/raw-client.ts";
import { until } from "../support/until.ts";
import { api, openWorld, type World } from "../support/world.ts";

/** Says that a list goes on. */
const more = { performedDate: "2026-01-01T00:00:00", id: 1 };

const login = `${api}/auth/login`;
const host = "Host: x\r\n";
const ends = `${host}Connection: close\r\n`;

/** The service with other limits, beside the one that the world itself opens. */
async function openLimited(limits: Partial<HttpLimits> = {}, repositories?: Repositories) {
  const world = await openWorld(repositories === undefined ? {} : { repositories });
  const { events } = world.ports;
  const useCases = makeUseCases(world.served, world.trail.published);
  const parts = {
    routes: makeRoutes(useCases),
    authentication: useCases.authentication,
    cors: makeCors("*"),
    addressOf: makeClientAddress([]),
    events,
    clock: world.clock,
  };
  const server = makeHttpServer(parts, { ...httpLimits, ...limits });
  const port = await server.listen(0, "127.0.0.1");
  return {
    ...world,
    port,
    call: makeClient(port),
    load: () => server.load(),
    bearer: `Authorization: Bearer ${world.tokens.ADMIN}\r\n`,
    close: async (graceMilliseconds = 0) => {
      await server.close(graceMilliseconds);
      await world.close();
    },
  };
}

/** Reading an asset waits until it is told to go on. */
function makeWaitingRepositories() {
  const repositories = makeMemoryRepositories();
  const held: (() => void)[] = [];
  const find = async (id: number) => {
    await new Promise<void>(resolve => held.push(resolve));
    return { id, name: "Pump", description: "", active: true, lastLogDate: null };
  };
  return {
    repositories: { ...repositories, assets: { ...repositories.assets, find } },
    held,
    letGo: () => {
      for (const go of held.splice(0)) go();
    },
  };
}

/** Answered over another connection, these show that the server has read what was sent before. */
async function settle({ call }: Pick<World, "call">): Promise<void> {
  for (let i = 0; i < 3; i += 1) await call("OPTIONS", "/");
}

/** Takes answers that all have a Content-Length apart. */
function answersIn(text: string) {
  const answers: { status: number; head: string; body: string }[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    const head = rest.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    answers.push({ status: Number(head.split(" ")[1]), head, body: rest.slice(end, end + length) });
    rest = rest.slice(end + length);
  }
  return answers;
}

function assertRefusal(text: string, status: number, msg?: string | RegExp): void {
  const [answer] = answersIn(text);
  assert.equal(answer?.status, status, text);
  const body = JSON.parse(answer.body);
  assert.deepEqual(Object.keys(body), ["status", "msg"]);
  assert.equal(body.status, status);
  if (typeof msg === "string") assert.equal(body.msg, msg);
  assert.match(answer.head, /content-type: application\/json; charset=utf-8\r\n/i);
  assert.match(answer.head, /x-content-type-options: nosniff\r\n/i);
  assert.match(answer.head, /cache-control: no-store\r\n/i);
  assert.match(answer.head, /x-request-id: [\w-]+\r\n/i);
  assert.match(answer.head, /date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/i);
  assert.match(answer.head, /access-control-allow-origin: \*\r\n/i);
}

describe("slow clients", () => {
  // The limits are so small that nothing has to be waited for; how long it took is nowhere asked.
  const limits = {
    receiveMilliseconds: 400,
    lingerMilliseconds: 20,
    sweepMilliseconds: 10,
  };

  test("who drips is told 408 and cut, whatever drips; the service goes on", async () => {
    const world = await openLimited(limits);
    const request = `GET / HTTP/1.1\r\n${host}${world.bearer}\r\n`;
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
      await closed;
      clearInterval(dripping);
      // A drop that crosses the cut can make a reset of it, which takes the last answer along.
      if (drop === "" || text().includes("HTTP/1.1 408 "))
        assert.match(text(), /\{"status":408,"msg":"Request took too long"\}$/, what);
      assert.doesNotMatch(text(), /^HTTP\/1\.1 413 /m, what);
      if (what.includes("after an answer")) assert.match(text(), /^HTTP\/1\.1 200 /);
    }
    await until(() => world.load().connections === 0);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    // Each is in the log once, and in the count for ever.
    const logged = () =>
      world.recorded
        .filter(({ event }) => event === "clients turned away")
        .reduce((sum, { details }) => sum + Number(details?.["slowClients"]), 0);
    assert.ok(world.load().turnedAway.slowClients > 0);
    await until(() => logged() === world.load().turnedAway.slowClients);
    await world.close();
  });

  test("who takes nothing of a long answer is cut, and the reading of the list ends", async () => {
    const repositories = makeMemoryRepositories();
    let ended = false;
    const list = async function* () {
      try {
        for (;;) yield { json: Buffer.from(JSON.stringify({ comment: "x".repeat(100_000) })), next: more };
      } finally {
        ended = true;
      }
    };
    const logs = { ...repositories.maintenanceLogs, list };
    const world = await openLimited(
      { ...limits, takeMilliseconds: 100 },
      { ...repositories, maintenanceLogs: logs },
    );
    const { socket, closed } = await dial(world.port);
    socket.pause();
    socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${world.bearer}\r\n`);
    await until(() => ended);
    socket.resume();
    await closed;
    await until(() => world.load().connections === 0 && world.load().requests === 0);
    await world.close();
  });
});

describe("requests made by hand", () => {
  let world: Awaited<ReturnType<typeof openLimited>>;
  before(async () => {
    world = await openLimited({ lingerMilliseconds: 20, sweepMilliseconds: 10 });
  });
  after(() => world.close());

  const bearer = () => world.bearer;

  test("a header that says one thing must not be repeated, not even to say the same", async () => {
    const filler = "A:b\r\n".repeat(95);
    for (const [name, sent] of [
      ["Host", `${ends}hOST: x\r\n${bearer()}`],
      ["Authorization", `${ends}${bearer()}${bearer()}`],
      ["Authorization", `${ends}Authorization: Bearer x\r\n${bearer()}`],
      ["Authorization", `${ends}${bearer()}${filler}AUTHORIZATION: x\r\n`],
      ["Content-Type", `${ends}${bearer()}Content-Type: application/json\r\nContent-Type: text/plain\r\n`],
      ["Idempotency-Key", `${ends}${bearer()}Idempotency-Key: a\r\nIdempotency-Key: b\r\n`],
    ] as const) {
      const answer = await sendRaw(world.port, `GET ${api}/assets HTTP/1.1\r\n${sent}\r\n`);
      assertRefusal(answer, 400, `${name} header must not be repeated`);
    }
    for (const length of ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 3"]) {
      assertRefusal(await sendRaw(world.port, `POST ${login} HTTP/1.1\r\n${ends}${length}\r\n\r\n{}`), 400);
    }
  });

  test("100 headers are enough, and no more are looked at", async () => {
    const get = (more: string) => sendRaw(world.port, `GET / HTTP/1.1\r\n${ends}${bearer()}${more}\r\n`);
    assert.match(await get("A:b\r\n".repeat(97)), /^HTTP\/1\.1 200 /);
    for (const times of [98, 99, 130, 4_000]) {
      assertRefusal(await get("A:b\r\n".repeat(times)), 431, "Request header fields are too large");
    }
    assertRefusal(await get(`${"A:b\r\n".repeat(1_100)}${bearer()}`), 431);
  });

  test("a version other than 1.0 and 1.1 is 505, and 1.0 is answered without a Host", async () => {
    for (const version of ["2.0", "0.9", "1.2", "3.0", "9.9"]) {
      const answer = await sendRaw(world.port, `GET / HTTP/${version}\r\n${ends}${bearer()}\r\n`);
      assertRefusal(answer, 505, "HTTP version must be 1.0 or 1.1");
    }
    assertRefusal(await sendRaw(world.port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
    assert.match(await sendRaw(world.port, `GET / HTTP/1.0\r\n${bearer()}\r\n`), /^HTTP\/1\.1 200 /);
    for (const line of ["GET / HTTP/1.11", "GET / http/1.1", "GET / HTTPS/1.1", "GET / RTSP/1.0x"]) {
      assertRefusal(await sendRaw(world.port, `${line}\r\n${ends}\r\n`), 400, "Malformed HTTP request");
    }
  });

  test("CONNECT is 501 and ends the connection; behind a good request it only ends it", async () => {
    const tunnel = `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`;
    for (const sent of [tunnel, `${tunnel}\x16\x03\x01`]) {
      assertRefusal(await sendRaw(world.port, sent), 501, "CONNECT is not supported");
    }
    assert.equal(await sendRaw(world.port, `GET / HTTP/1.1\r\n${host}${bearer()}\r\n${tunnel}`), "");
    await until(() => world.load().connections === 0 && world.load().requests === 0);
  });

  test("CONNECT from a client that goes away at once does no harm", async () => {
    for (let i = 0; i < 20; i += 1) {
      const { socket, closed } = await dial(world.port);
      socket.write(`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`, () => socket.resetAndDestroy());
      await closed;
    }
    await until(() => world.load().connections === 0);
  });

  test("a request to upgrade is answered like any other, and its connection closed", async () => {
    const upgrade = `${host}Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n`;
    for (const protocol of ["websocket", "h2c", "TLS/1.0"]) {
      const head = `HTTP/1.1\r\n${upgrade}Upgrade: ${protocol}\r\n`;
      const answer = await sendRaw(world.port, `GET / ${head}${bearer()}\r\n`);
      assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*connection: close\r\n/i);
      assertRefusal(await sendRaw(world.port, `GET / ${head}\r\n`), 403, "Token is missing");
      const body = `Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      assertRefusal(await sendRaw(world.port, `POST ${login} ${head}${body}`), 400, "Email is required");
    }
  });

  test("a strange target is 403 without a token and 404 with one", async () => {
    for (const target of [
      "//",
      "//evil.example.com/",
      "///",
      "/%E0",
      "/%",
      "/%zz",
      "/%u0000",
      "/%00",
      "/..",
      "/../etc/passwd",
      `${api}/assets/..%2f../x`,
      `${api}\\assets`,
      "*",
      "http://",
      "http://x/nope",
      "http://user:password@x:99999/%E0",
      "ftp://x/",
    ]) {
      assertRefusal(await sendRaw(world.port, `GET ${target} HTTP/1.1\r\n${ends}\r\n`), 403);
      const answer = await sendRaw(world.port, `GET ${target} HTTP/1.1\r\n${ends}${bearer()}\r\n`);
      assertRefusal(answer, 404, "Not found");
    }
  });

  test("bytes that no target, header or chunk may have are 400", async () => {
    const chunked = `POST ${login} HTTP/1.1\r\n${ends}Transfer-Encoding: chunked\r\n\r\n`;
    for (const request of [
      `GET /\0 HTTP/1.1\r\n${ends}\r\n`,
      `GET /é HTTP/1.1\r\n${ends}\r\n`,
      `GET /a b HTTP/1.1\r\n${ends}\r\n`,
      `GET / HTTP/1.1\n${host}\n\n`,
      `GET / HTTP/1.1\r\n${ends}X: a\0b\r\n\r\n`,
      `GET / HTTP/1.1\r\n${ends}X: a\rb\r\n\r\n`,
      `GET / HTTP/1.1\r\n${ends}X: a\r\n folded\r\n\r\n`,
      `GET / HTTP/1.1\r\n${ends}X : a\r\n\r\n`,
      `${chunked}zz\r\n`,
      `${chunked}ffffffffffffffffff\r\n`,
      `${chunked}-1\r\n`,
      "\x16\x03\x01\x02\x00\x01\x00\x01",
    ]) {
      assertRefusal(await sendRaw(world.port, request), 400, "Malformed HTTP request");
    }
  });

  test("a transfer coding other than chunked is 501", async () => {
    const coded = (coding: string) =>
      sendRaw(world.port, `POST ${login} HTTP/1.1\r\n${ends}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`);
    for (const coding of [
      "gzip, chunked",
      "GZIP,CHUNKED",
      "gzip",
      "identity",
      "chunked, gzip",
      "chunked\r\nTransfer-Encoding: chunked",
    ]) {
      assertRefusal(await coded(coding), 501, "Transfer-Encoding must be chunked");
    }
    assertRefusal(await coded("Chunked"), 400, "Request body must be a JSON object");
  });

  test("HTTP/1.0 gets no interim answer, which it could not read", async () => {
    const body = JSON.stringify({ email: "nobody@example.com", password: "a password" });
    const head = `POST ${login} HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
    assertRefusal(await sendRaw(world.port, head + body), 401, "Wrong email or password");
  });

  test("without a token there is no interim answer", async () => {
    const expects = `${host}Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`;
    for (const path of [`${api}/assets`, `${api}/auth/register`, "/nope"]) {
      const answer = await sendRaw(world.port, `POST ${path} HTTP/1.1\r\n${expects}`);
      assertRefusal(answer, 403, "Token is missing");
      assert.doesNotMatch(answer, /100 Continue/);
    }
  });
});

describe("several requests on one connection", () => {
  const get = (bearer: string) => `GET / HTTP/1.1\r\n${host}${bearer}\r\n`;
  const asset = (bearer: string, id: number) => `GET ${api}/assets/${id} HTTP/1.1\r\n${host}${bearer}\r\n`;
  const create = (bearer: string) =>
    `POST ${api}/assets HTTP/1.1\r\n${host}${bearer}Content-Type: application/json\r\nContent-Length: 12\r\n\r\n{"name":"x"}`;

  test("are answered both when the first answer was written, and is still on its way", async () => {
    const repositories = makeMemoryRepositories();
    const long = { id: 1, name: "x".repeat(8_000_000), description: "", active: true, lastLogDate: null };
    const assets = { ...repositories.assets, find: async () => long };
    const world = await openLimited({}, { ...repositories, assets });
    const { socket, text } = await dial(world.port);
    socket.write(asset(world.bearer, 1));
    await until(() => text() !== "");
    socket.pause();
    await settle(world);
    socket.write(asset(world.bearer, 1));
    await settle(world);
    socket.resume();
    await until(() => text().length > 16_000_000 && text().endsWith('"lastLogDate":null}'));
    assert.doesNotMatch(text(), /connection: close/i);
    socket.destroy();
    await world.close();
  });

  test("sent without waiting: the first is answered, says close, and no other is worked on", async () => {
    const waiting = makeWaitingRepositories();
    const world = await openLimited({}, waiting.repositories);
    const { socket, closed, text } = await dial(world.port);
    socket.write(asset(world.bearer, 1) + create(world.bearer).repeat(2));
    await until(() => waiting.held.length === 1);
    socket.write(create(world.bearer));
    waiting.letGo();
    await closed;
    const answers = answersIn(text());
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200],
    );
    assert.match(answers[0]?.head ?? "", /connection: close\r\n/i);
    assert.deepEqual((await world.call("GET", `${api}/assets`, { token: world.tokens.ADMIN })).json, []);
    await world.close();
  });

  test("sent without waiting, whatever the third asks for: the first is answered, and the process goes on", async () => {
    const world = await openLimited();
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    for (const third of [
      get(world.bearer + upgrade),
      `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
      "GARBAGE\r\n\r\n",
      get(`X: ${"x".repeat(20_000)}\r\n`),
    ]) {
      const answers = answersIn(await sendRaw(world.port, get(world.bearer).repeat(2) + third));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200],
        third.slice(0, 200),
      );
    }
    await world.close();
  });

  test("sent when the head of an answer is out already: the answer is whole, and then the connection ends", async () => {
    const repositories = makeMemoryRepositories();
    let goOn = (): void => {};
    const list = async function* () {
      yield { json: Buffer.from("1"), next: more };
      yield { json: Buffer.from("2"), next: more };
      await new Promise<void>(resolve => {
        goOn = resolve;
      });
      yield { json: Buffer.from("3"), next: undefined };
    };
    const logs = { ...repositories.maintenanceLogs, list };
    const world = await openLimited({}, { ...repositories, maintenanceLogs: logs });
    const { socket, closed, text } = await dial(world.port);
    socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${world.bearer}\r\n`);
    // Node 26 sends what is written in one moment as one chunk.
    await until(() => /,(\r\n1\r\n)?2\r\n$/.test(text()));
    socket.write(get(world.bearer));
    await settle(world);
    goOn();
    await closed;
    assert.equal(text().split("HTTP/1.1 ").length, 2);
    assert.ok(text().endsWith("\r\n0\r\n\r\n"));
    await world.close();
  });

  test("a malformed one after a good one ends the connection after the good one's answer", async () => {
    const world = await openLimited();
    const bad = `POST ${login} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
    for (const last of ["GARBAGE\r\n\r\n", "\0", bad, `${get(world.bearer)}GARBAGE\r\n\r\n`]) {
      const answers = answersIn(await sendRaw(world.port, get(world.bearer) + last));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200],
      );
      assert.match(answers[0]?.head ?? "", /connection: close\r\n/i);
    }
    await until(() => world.load().requests === 0 && world.load().connections === 0);
    await world.close();
  });

  test("a malformed one after an answer is 400", async () => {
    const world = await openLimited();
    const { socket, closed, text } = await dial(world.port);
    socket.write(get(world.bearer));
    await until(() => text().endsWith("}"));
    socket.write("GARBAGE\r\n\r\n");
    await closed;
    assert.deepEqual(
      answersIn(text()).map(({ status }) => status),
      [200, 400],
    );
    await world.close();
  });

  test("nothing that was sent after Connection: close is worked on", async () => {
    const world = await openLimited();
    const close = `GET / HTTP/1.1\r\n${ends}${world.bearer}\r\n`;
    assert.equal(answersIn(await sendRaw(world.port, close + create(world.bearer))).length, 1);
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
      const world = await openLimited({ lingerMilliseconds: 20 }, waiting.repositories);
      const served: Socket[] = [];
      const watch = (message: unknown) => served.push((message as { socket: Socket }).socket);
      diagnostics.subscribe("http.server.request.start", watch);
      const { socket, closed, text } = await dial(world.port);
      socket.write(asset(world.bearer, 1));
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
      await closed;
      assert.equal(answersIn(text()).length, 1);
      await world.close();
    });
  }

  test("many in one write: Node's parser stops after the second", async () => {
    const waiting = makeWaitingRepositories();
    const world = await openLimited({}, waiting.repositories);
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    diagnostics.subscribe("http.server.request.start", count);
    const { socket, closed, text } = await dial(world.port);
    socket.write(asset(world.bearer, 1).repeat(200));
    await until(() => waiting.held.length === 1);
    waiting.letGo();
    await closed;
    diagnostics.unsubscribe("http.server.request.start", count);
    assert.equal(answersIn(text()).length, 1);
    assert.equal(parsed, 2);
    await until(() => world.load().connections === 0 && world.load().requests === 0);
    await world.close();
  });
});

describe("bodies under way", () => {
  const head = (path: string, more: string) =>
    `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/json\r\n${more}\r\n`;

  test("without a token take a part of what all may take; a token's holder is still served", async () => {
    const bounds = {
      bodyBytes: 64 * 1024,
      bodyBytesWithoutToken: 16 * 1024,
      lingerMilliseconds: 20,
      sweepMilliseconds: 10,
    };
    const world = await openLimited(bounds);
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
    await Promise.all(refused().map(({ closed }) => closed));
    assert.equal(world.load().bodyBytes, 4 * 4_096);
    assert.equal(world.load().turnedAway.bodies, 36);
    assert.equal(world.load().requests, 0, "who waits for a body takes nobody's place");
    await until(() => world.recorded.some(({ details }) => Number(details?.["bodies"]) > 0));

    const token = world.tokens.ADMIN;
    const comment = "x".repeat(40_000);
    const asset = () => world.call("POST", `${api}/assets`, { token, body: { name: "Pump", comment } });
    assert.equal((await asset()).status, 201);
    const big = await dial(world.port);
    big.socket.write(
      `${head(`${api}/assets`, `${world.bearer}Content-Length: 20000\r\n`)}${"x".repeat(19_999)}`,
    );
    await until(() => world.load().bodyBytes > 30_000);
    assert.equal((await asset()).status, 503);
    assert.equal((await world.call("GET", "/", { token })).status, 200);

    for (const { socket } of [...attackers, big]) socket.destroy();
    await until(() => world.load().bodyBytes === 0 && world.load().requests === 0);
    assert.equal((await asset()).status, 201);
    await world.close();
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
    const world = await openLimited({}, { ...repositories, employees });
    isHeld = true;
    const { socket } = await dial(world.port);
    socket.write(`${head(`${api}/assets`, `${world.bearer}Content-Length: 20\r\n`)}{`);
    await until(() => waiting.length === 1);
    assert.equal(world.load().requests, 1);
    socket.resetAndDestroy();
    await until(() => world.load().connections === 0);
    for (const letGo of waiting) letGo();
    await until(() => world.load().requests === 0);
    await until(() => world.load().bodyBytes === 0, 2_000);
    await world.close();
  });

  test("of one byte count as much as what waits for the rest takes", async () => {
    const world = await openLimited({ bodyBytesWithoutToken: 16 * 1024 });
    const attackers = await Promise.all(Array.from({ length: 40 }, () => dial(world.port)));
    for (const { socket } of attackers) socket.write(`${head(login, "Content-Length: 2\r\n")}{`);
    const refused = () => attackers.filter(({ text }) => text() !== "");
    await until(() => refused().length === 36);
    for (const { text } of refused()) assertRefusal(text(), 503, "The service is overloaded");
    assert.equal(world.load().bodyBytes, 4 * 4_096);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    for (const { socket } of attackers) socket.destroy();
    await until(() => world.load().bodyBytes === 0);
    await world.close();
  });

  // A login asks for no token, so that one of it, be it of somebody, gives its body no more memory.
  for (const [what, tokenOf] of [
    ["", () => ""],
    [", though they have a token that is none", () => "Authorization: Bearer x\r\n"],
    [", though they have a token", (bearer: string) => bearer],
  ] as const) {
    test(`that never end keep nobody from logging in${what}`, async () => {
      const world = await openLimited({ bodyBytesWithoutToken: 16 * 1024 });
      const attackers = await Promise.all(Array.from({ length: 10 }, () => dial(world.port)));
      const begun = `${head(login, `${tokenOf(world.bearer)}Content-Length: 9\r\n`)}{`;
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
      await until(() => world.load().bodyBytes === 0 && world.load().requests === 0);
      await world.close();
    });
  }

  test("in small chunks take no more than their length", async () => {
    const world = await openLimited();
    const { socket } = await dial(world.port);
    const chunk = `32\r\n${"x".repeat(50)}\r\n`;
    socket.write(head(`${api}/assets`, `${world.bearer}Transfer-Encoding: chunked\r\n`) + chunk.repeat(210));
    await until(() => world.load().bodyBytes >= 10_500);
    assert.equal(world.load().bodyBytes, 12_800);
    socket.destroy();
    await until(() => world.load().bodyBytes === 0);
    await world.close();
  });

  test("are not read by who answers without them", async () => {
    const world = await openLimited({ lingerMilliseconds: 20 });
    for (const [path, more, status] of [
      ["/nope", "", 403],
      ["/nope", world.bearer, 404],
      [`${api}/auth/login/`, world.bearer, 404],
      ["/", world.bearer, 405],
      [`${api}/assets`, "", 403],
      [`${api}/assets`, "Authorization: Bearer x\r\n", 403],
      [`${api}/assets`, `Authorization: Bearer ${world.tokens.TECHNICIAN}\r\n`, 403],
      [`${api}/assets/x/logs`, world.bearer, 400],
      [login, "", 413],
    ] as const) {
      const answer = await sendRaw(world.port, `${head(path, `${more}Content-Length: 60000\r\n`)}{`);
      assertRefusal(answer, status);
      assert.match(answer, /connection: close\r\n/i);
    }
    await world.close();
  });
});

describe("lists whose clients take nothing", () => {
  test("do not end those of others: while they are read another one is 503, and all that have begun come whole", async () => {
    const repositories = makeMemoryRepositories();
    const list = async function* () {
      for (let left = 40; left > 0; left -= 1)
        yield { json: Buffer.alloc(256 * 1024, "1"), next: left > 1 ? more : undefined };
    };
    const logs = { ...repositories.maintenanceLogs, list };
    const limits = { listBytes: 2, longListBytes: 1, slowReaderMilliseconds: 60_000 };
    const world = await openLimited(limits, { ...repositories, maintenanceLogs: logs });
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
    await world.close();
  });

  test("of one chunk take room for it", async () => {
    const repositories = makeMemoryRepositories();
    const list = async function* () {
      yield { json: Buffer.alloc(20_000_000, "1"), next: undefined };
    };
    const logs = { ...repositories.maintenanceLogs, list };
    const limits = { listBytes: 50_000_000, longListBytes: 1, slowReaderMilliseconds: 60_000 };
    const world = await openLimited(limits, { ...repositories, maintenanceLogs: logs });
    const silent = [await dial(world.port), await dial(world.port)];
    for (const { socket, text } of silent) {
      socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${world.bearer}\r\n`);
      await until(() => text() !== "");
      socket.pause();
    }
    const refused = () => world.call("GET", `${api}/logs`, { token: world.tokens.ADMIN });
    assert.equal((await refused()).status, 503);
    for (const { socket } of silent) socket.destroy();
    await world.close();
  });

  test("are cut off for another one where their clients take nothing, and not where they only began first", async () => {
    const repositories = makeMemoryRepositories();
    const list = async function* () {
      for (;;) yield { json: Buffer.alloc(256 * 1024, "1"), next: more };
    };
    const logs = { ...repositories.maintenanceLogs, list };
    const limits = { listBytes: 2, longListBytes: 1, slowReaderMilliseconds: 0 };
    const world = await openLimited(limits, { ...repositories, maintenanceLogs: logs });
    const ask = () => {
      const socket = connect(world.port, "127.0.0.1").on("error", () => {});
      socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${world.bearer}\r\n`);
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
    await world.close();
  });

  test("are held up to a number: the one that has waited longest is cut off, and others go on", async () => {
    const repositories = makeMemoryRepositories();
    let held = 0;
    const list = async function* () {
      held += 1;
      try {
        // Without an end: what a client takes decides how much is read.
        for (;;) yield { json: Buffer.alloc(256 * 1024, "1"), next: more };
      } finally {
        held -= 1;
      }
    };
    const logs = { ...repositories.maintenanceLogs, list };
    const world = await openLimited(
      { listBytes: 3, longListBytes: 1, slowReaderMilliseconds: 0 },
      { ...repositories, maintenanceLogs: logs },
    );
    const ask = () => {
      const socket = connect(world.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`GET ${api}/logs HTTP/1.1\r\n${host}${world.bearer}\r\n`);
      return socket;
    };
    const cut = () => world.load().turnedAway.slowClients;

    const silent = Array.from({ length: 10 }, ask);
    await until(() => cut() === 7);
    await until(() => held === 3);
    assert.equal((await world.call("GET", `${api}/employees/me`, { token: world.tokens.ADMIN })).status, 200);

    // A client that reads waits less than any of these.
    const reader = ask();
    for await (const _ of reader) if (reader.bytesRead > 30_000_000) break;
    await until(() => held === 2);
    assert.equal(cut(), 8);

    for (const socket of silent) socket.destroy();
    await until(() => held === 0);
    assert.equal(cut(), 8);
    await world.close();
  });
});

describe("a response that is sent while the body of its request still arrives", () => {
  const get = (path: string, bearer: string, length: number) =>
    `GET ${path} HTTP/1.1\r\n${host}${bearer}Content-Length: ${length}\r\n\r\n`;

  /** A list of three pieces; the last one comes when the test says so. */
  async function openListing(limits: Partial<HttpLimits>) {
    const repositories = makeMemoryRepositories();
    let goOn = (): void => {};
    const isAsked = new Promise<void>(resolve => {
      goOn = resolve;
    });
    const list = async function* () {
      yield { json: Buffer.from("1"), next: more };
      yield { json: Buffer.from("2"), next: more };
      await isAsked;
      yield { json: Buffer.from("3"), next: undefined };
    };
    const logs = { ...repositories.maintenanceLogs, list };
    const world = await openLimited(limits, { ...repositories, maintenanceLogs: logs });
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
      const head = get(`${api}/logs`, world.bearer, 4_000);
      socket.write(
        what.includes("chunked") ? head.replace("Content-Length: 4000", "Transfer-Encoding: chunked") : head,
      );
      await until(() => /,(\r\n1\r\n)?2\r\n$/.test(text()));
      socket.write(body);
      const dripping = setInterval(() => what === "drips" && socket.write(body), 5);
      if (!what.includes("chunked")) await until(() => world.load().turnedAway.slowClients === 1);
      await settle(world);
      goOn();
      await closed;
      clearInterval(dripping);
      assert.match(text(), /^HTTP\/1\.1 200 [\s\S]*connection: close\r\n/i);
      assert.equal(text().split("HTTP/1.1 ").length, 2);
      assert.ok(text().endsWith("\r\n0\r\n\r\n"), text());
      await until(() => world.load().requests === 0);
      await world.close();
    });
  }

  test("what arrives is thrown away until its end, and the connection is closed then", async () => {
    const world = await openLimited({ lingerMilliseconds: 3_600_000 });
    for (const path of ["/", "/nope"]) {
      const { socket, closed, text, failure } = await dial(world.port);
      const length = 4 * 70_000;
      socket.write(get(path, world.bearer, length));
      await until(() => text().endsWith("}"));
      assert.equal(world.load().requests, 0, "who only reads on takes nobody's place");
      for (let i = 0; i < 4; i += 1) {
        socket.write("x".repeat(70_000));
        await settle(world);
      }
      await closed;
      assert.match(text(), /connection: close\r\n/i);
      assert.equal(failure(), undefined);
    }
    const { goOn, world: listing } = await openListing({ lingerMilliseconds: 3_600_000 });
    const { socket, closed, text } = await dial(listing.port);
    socket.write(get(`${api}/logs`, listing.bearer, 70_000));
    goOn();
    // Node 26 sends several parts in one chunk.
    await until(() => /\r\n\r\n[\s\S]*3\]?\r\n/.test(text()));
    await settle(listing);
    assert.ok(
      !text().endsWith("\r\n0\r\n\r\n"),
      "who has sent all may close, and what still arrives would reset it",
    );
    socket.write("x".repeat(70_000));
    await closed;
    assert.ok(text().endsWith("\r\n0\r\n\r\n"), text());
    for (const one of [world, listing]) await one.close();
  });
});

describe("overload", () => {
  test("past the bound of requests under way the answer is 503, before any work is done", async () => {
    const waiting = makeWaitingRepositories();
    const world = await openLimited({ requests: 3, sweepMilliseconds: 10 }, waiting.repositories);
    const token = world.tokens.ADMIN;
    const underWay = [1, 2, 3].map(id => world.call("GET", `${api}/assets/${id}`, { token }));
    await until(() => waiting.held.length === 3);
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
    assert.equal(waiting.held.length, 3);
    await until(() => world.recorded.some(({ details }) => details?.["requests"] !== undefined));
    waiting.letGo();
    for (const { status } of await Promise.all(underWay)) assert.equal(status, 200);
    await until(() => world.load().requests === 0);
    assert.equal((await world.call("GET", "/", { token })).status, 200);
    await world.close();
  });

  test("requests that drip in take nobody's place", async () => {
    const world = await openLimited({ requests: 2 });
    const body = `POST ${login} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`;
    const dripping = await Promise.all(Array.from({ length: 10 }, () => dial(world.port)));
    for (const { socket } of dripping) socket.write(body);
    await until(() => world.load().connections >= 10);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    for (const { socket } of dripping) socket.destroy();
    await until(() => world.load().requests === 0);
    await world.close();
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
    const world = await openLimited({ requests: 2 }, { ...repositories, employees });
    const body = JSON.stringify({ email: "nobody@example.com", password: "a password" });
    const head = `POST ${login} HTTP/1.1\r\n${ends}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const dripping: Awaited<ReturnType<typeof dial>>[] = [];
    for (let i = 1; i <= 9; i += 1) {
      const client = await dial(world.port);
      client.socket.write(head + body.slice(0, -1));
      await until(() => world.load().bodyBytes === 4_096 * i);
      dripping.push(client);
    }
    for (const { socket } of dripping) socket.write(body.slice(-1));
    const refused = () => dripping.filter(({ text }) => text() !== "");
    await until(() => refused().length === 7 && held.length === 2);
    assert.equal(world.load().requests, 2);
    assert.equal(world.load().turnedAway.requests, 7);
    for (const { text } of refused()) assertRefusal(text(), 503, "The service is overloaded");
    for (const letGo of held.splice(0)) letGo();
    await until(() => refused().length === 9);
    await until(() => world.load().requests === 0 && world.load().bodyBytes === 0);
    await world.close();
  });

  test("connections past the bound are closed without a response, and counted", async () => {
    const world = await openLimited({ connections: 2, sweepMilliseconds: 10 });
    const allowed = [await dial(world.port), await dial(world.port)];
    await until(() => world.load().connections === 2);
    const flood = await Promise.all(Array.from({ length: 20 }, () => dial(world.port)));
    await Promise.all(flood.map(({ closed }) => closed));
    assert.equal(world.load().connections, 2);
    assert.equal(world.load().turnedAway.connections, 20);
    await until(() => world.recorded.some(({ details }) => Number(details?.["connections"]) > 0));
    for (const { socket, text } of allowed) {
      socket.write(`GET / HTTP/1.1\r\n${host}${world.bearer}\r\n`);
      await until(() => text().startsWith("HTTP/1.1 200 "));
      socket.destroy();
    }
    await until(() => world.load().connections === 0);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    await world.close();
  });
});

describe("a client that goes away", () => {
  test("in mid-header, mid-body, mid-work, mid-answer or mid-queue leaves nothing behind", async () => {
    const waiting = makeWaitingRepositories();
    let lists = 0;
    const list = async function* () {
      lists += 1;
      try {
        for (;;) yield { json: Buffer.from(JSON.stringify({ comment: "x".repeat(10_000) })), next: more };
      } finally {
        lists -= 1;
      }
    };
    const { repositories } = waiting;
    const logs = { ...repositories.maintenanceLogs, list };
    const world = await openLimited({}, { ...repositories, maintenanceLogs: logs });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}${world.bearer}\r\n`;
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
        await closed;
      }
    }
    await until(() => world.load().connections === 0);
    waiting.letGo();
    await until(() => world.load().requests === 0);
    assert.equal(lists, 0);
    assert.equal((await world.call("GET", "/", { token: world.tokens.ADMIN })).status, 200);
    assert.deepEqual(
      world.recorded.filter(({ level }) => level === "error"),
      [],
    );
    await world.close();
  });
});

describe("closing", () => {
  test("finishes the request that is worked on and starts none that was sent behind it", async () => {
    const waiting = makeWaitingRepositories();
    const world = await openLimited({}, waiting.repositories);
    const { socket, closed, text } = await dial(world.port);
    socket.write(`GET ${api}/assets/1 HTTP/1.1\r\n${host}${world.bearer}\r\n`.repeat(3));
    await until(() => waiting.held.length === 1);
    const over = world.close(3_600_000);
    waiting.letGo();
    await Promise.all([over, closed]);
    const answers = answersIn(text());
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200],
    );
    assert.match(answers[0]?.head ?? "", /connection: close/i);
  });

  test("does not wait for connections that have been refused", async () => {
    const world = await openLimited({ lingerMilliseconds: 3_600_000 });
    const { socket, closed, text } = await dial(world.port);
    socket.write("GARBAGE\r\n\r\n");
    await until(() => text().startsWith("HTTP/1.1 400 "));
    await world.close(3_600_000);
    await closed;
  });
});
