import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { json, makeOpsServer } from "../../../../src/adapters/ops/ops-server.ts";
import { heldSockets } from "../../../support/accepted-sockets.ts";
import { makePlainClient } from "../../../support/client.ts";
import { assertGivenBack } from "../../../support/given-back.ts";
import { dial, sendRaw } from "../../../support/raw-client.ts";

const now = () => new Date(0);

describe("the operations server", () => {
  const failures: unknown[] = [];
  const server = makeOpsServer(
    {
      "/": () => ({ status: 200, headers: { "Content-Type": "text/plain", "X-More": "yes" }, text: "page" }),
      "/json": async () => json(503, { ready: false }),
      "/broken": () => {
        throw new Error("planted secret");
      },
    },
    cause => failures.push(cause),
    now,
  );
  let port = 0;
  before(async () => {
    port = await server.listen(0, "127.0.0.1");
  });
  after(() => server.close());
  const call: ReturnType<typeof makePlainClient> = (...args) => makePlainClient(port)(...args);

  test("answers its pages, whatever the query, and HEAD without the body", async () => {
    for (const path of ["/", "/?a=/json"]) {
      const { status, headers, text } = await call("GET", path);
      assert.deepEqual([status, headers.get("content-type"), text], [200, "text/plain", "page"]);
      assert.equal(headers.get("x-more"), "yes");
    }
    const { status, json } = await call("GET", "/json");
    assert.deepEqual([status, json], [503, { ready: false }]);
    const head = await call("HEAD", "/");
    assert.deepEqual([head.status, head.headers.get("content-length"), head.text], [200, "4", ""]);
  });

  test("answers any other path with 404 and any other method with 405, in JSON", async () => {
    for (const path of ["/nope", "/json/", "//", "/toString", "/__proto__", "/constructor"]) {
      const { status, json } = await call("GET", path);
      assert.deepEqual([status, json], [404, { status: 404, msg: "Not found" }], path);
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const { status, headers, json } = await call(method, "/json");
      assert.deepEqual([status, json], [405, { status: 405, msg: "Method not allowed" }], method);
      assert.equal(headers.get("allow"), "GET, HEAD");
    }
  });

  test("no answer may be sniffed, stored, or read by another origin", async () => {
    for (const path of ["/", "/json", "/nope", "/broken"]) {
      const { headers } = await call("GET", path, { headers: { origin: "https://evil.example" } });
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
      assert.equal(headers.get("access-control-allow-origin"), null);
    }
  });

  test("a page that fails is a 500 that says nothing of the cause, which is reported", async () => {
    failures.length = 0;
    const { status, json, text } = await call("GET", "/broken");
    assert.deepEqual([status, json], [500, { status: 500, msg: "Internal server error" }]);
    assert.doesNotMatch(text, /planted/);
    assert.deepEqual(failures.map(String), ["Error: planted secret"]);
  });

  test("what is not HTTP, and a header that is too large, is refused", async () => {
    for (const [text, status] of [
      ["nonsense\r\n\r\n", 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(9_000)}\r\n\r\n`, 431],
    ] as const) {
      assert.match(await sendRaw(port, text), RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nConnection: close\r\n`));
    }
  });

  test("a connection carries one request, whose body is not read", async () => {
    const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    const answer = await sendRaw(port, request + request);
    assert.equal(answer.match(/HTTP\/1\.1 200/g)?.length, 1);
    assert.match(answer, /\r\nConnection: close\r\n/i);
    const unread = await sendRaw(port, "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n");
    assert.match(unread, /^HTTP\/1\.1 405 /);
  });
});

describe("the bounds of the operations server", () => {
  const makeBounded = (limits: { lifetimeMilliseconds: number; connections: number }) =>
    makeOpsServer({ "/": () => json(200, {}) }, () => {}, now, { headerBytes: 8_192, ...limits });

  test("a client that sends nothing, or drips, is gone after a connection's lifetime", async () => {
    const server = makeBounded({ lifetimeMilliseconds: 50, connections: 10 });
    const port = await server.listen(0, "127.0.0.1");
    const [silent, dripping] = await Promise.all([dial(port), dial(port)]);
    const drip = setInterval(() => dripping.socket.write("\r\n"), 5);
    await Promise.all([silent.closed(), dripping.closed()]);
    clearInterval(drip);
    await server.close();
  });

  test("more connections than its bound are closed without a word", async () => {
    const server = makeBounded({ lifetimeMilliseconds: 60_000, connections: 1 });
    const port = await server.listen(0, "127.0.0.1");
    const first = await dial(port);
    assert.equal(await sendRaw(port, ""), "");
    first.socket.destroy();
    await first.closed();
    await server.close();
  });

  test("are 100 connections, of 10 s each", { timeout: 10_000 }, async t => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const server = makeOpsServer({ "/": () => json(200, {}) }, () => {}, now);
    const port = await server.listen(0, "127.0.0.1");
    const clients = await Promise.all(Array.from({ length: 100 }, () => dial(port)));
    assert.equal(await sendRaw(port, ""), "");
    t.mock.timers.tick(9_999);
    assert.equal(clients.filter(({ socket }) => socket.closed).length, 0);
    t.mock.timers.tick(1);
    await Promise.all(clients.map(({ closed }) => closed()));
    await server.close();
  });

  test("nothing refers to a connection that its client has closed", async () => {
    const server = makeBounded({ lifetimeMilliseconds: 3_600_000, connections: 10 });
    const port = await server.listen(0, "127.0.0.1");
    for (let times = 0; times < 5; times += 1) (await dial(port)).socket.destroy();
    await assertGivenBack("connections", async () => [heldSockets(port)].filter(held => held > 0));
    await server.close();
  });

  test("closing waits for nobody", async () => {
    const server = makeBounded({ lifetimeMilliseconds: 60_000, connections: 10 });
    const { closed } = await dial(await server.listen(0, "127.0.0.1"));
    await Promise.all([server.close(), closed()]);
  });
});
