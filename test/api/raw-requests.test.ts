import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openSockets } from "../support/accepted-sockets.ts";
import { shared } from "../support/left-open.ts";
import { dial, sendRaw } from "../support/raw-client.ts";
import { assertRefusal, bearerOf, ends, host, login } from "../support/raw-request.ts";
import { until } from "../support/until.ts";
import { api, openWorld } from "../support/world.ts";

describe("requests made by hand", async () => {
  const world = await shared(openWorld({ limits: { lingerMilliseconds: 20, sweepMilliseconds: 10 } }));

  const bearer = () => bearerOf(world);

  test("100 headers are enough, and no more are looked at", async () => {
    const get = (more: string) => sendRaw(world.port, `GET / HTTP/1.1\r\n${ends}${bearer()}${more}\r\n`);
    assert.match(await get("A:b\r\n".repeat(97)), /^HTTP\/1\.1 200 /);
    for (const more of [
      "A:b\r\n".repeat(98),
      "A:b\r\n".repeat(4_000),
      `${"A:b\r\n".repeat(1_100)}${bearer()}`,
    ])
      assertRefusal(await get(more), 431, "Request target or header fields are too large");
  });

  test("CONNECT ends the connection; behind a good request it is not answered", async () => {
    const tunnel = `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`;
    assertRefusal(await sendRaw(world.port, `${tunnel}\x16\x03\x01`), 501, "CONNECT is not supported");
    assert.equal(await sendRaw(world.port, `GET / HTTP/1.1\r\n${host}${bearer()}\r\n${tunnel}`), "");
    await until(() => openSockets(world.port).length === 0);
  });

  test("CONNECT from a client that goes away at once does no harm", async () => {
    for (let i = 0; i < 20; i += 1) {
      const { socket, closed } = await dial(world.port);
      socket.write(`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`, () => socket.resetAndDestroy());
      await closed();
    }
    await until(() => openSockets(world.port).length === 0);
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

  test("HTTP/1.0 gets no interim answer, which it could not read", async () => {
    const body = JSON.stringify({ email: "nobody@example.com", password: "a password" });
    const head = `POST ${login} HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
    assertRefusal(await sendRaw(world.port, head + body), 401, "Wrong email or password");
  });
});
