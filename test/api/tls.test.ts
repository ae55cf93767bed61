import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { connect as dial, type Socket } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { connect } from "node:tls";
import { madeText } from "../../src/adapters/http/api/result.ts";
import { type Route, route } from "../../src/adapters/http/api/route.ts";
import { makeRoutes, type UseCases } from "../../src/adapters/http/api/routes.ts";
import { makeClientAddress } from "../../src/adapters/http/request/client-address.ts";
import { makeCors } from "../../src/adapters/http/request/cors.ts";
import { type HttpLimits, httpLimits } from "../../src/adapters/http/request/limits.ts";
import { makeHttpServer } from "../../src/adapters/http/server/server.ts";
import { readTlsIdentity } from "../../src/adapters/http/server/tls-identity.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { makeRecordingEventLog } from "../fakes/recording-event-log.ts";
import { openSockets } from "../support/accepted-sockets.ts";
import { makeOwnIdentity } from "../support/certificates.ts";
import { closeEmpty } from "../support/given-back.ts";
import { askByTls } from "../support/https-client.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { deferred, once, until } from "../support/until.ts";

const folder = makeTemporaryFolder();
const at = (name: string) => join(folder, name);

type Files = ReturnType<typeof makeOwnIdentity>;

function identityOf(files: Parameters<typeof readTlsIdentity>[0]) {
  const identity = readTlsIdentity(files, new Date());
  assert.ok(identity);
  return identity;
}

describe("the server's own certificate", () => {
  test("is refused when a client would refuse it, or when everybody can read the key", () => {
    const good = makeOwnIdentity(folder, "good", { days: 3_650 });
    const other = makeOwnIdentity(folder, "other");
    const far = new Date(Date.parse(identityOf(good).validTo) + 1);
    const refusal = (files: typeof good, at = new Date()) => {
      try {
        readTlsIdentity(files, at);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.equal(refusal(good), "");
    assert.match(refusal({ ...good, keyFile: other.keyFile }), /is not the key of the certificate in/);
    assert.match(refusal(good, far), /expired at/);
    assert.match(refusal(good, new Date(0)), /is valid from/);
    assert.match(refusal({ ...good, certificateFile: good.keyFile }), /has no certificate in PEM form/);
    assert.match(refusal({ ...other, keyFile: other.certificateFile }), /can be read by every user/);
    chmodSync(other.certificateFile, 0o600);
    assert.match(refusal({ ...other, keyFile: other.certificateFile }), /has no private key in PEM form/);
    assert.match(refusal({ ...good, keyFile: at("none") }), /ENOENT/);
    chmodSync(good.keyFile, 0o604);
    assert.match(refusal(good), /can be read by every user/);
    chmodSync(good.keyFile, 0o640);
    assert.equal(refusal(good), "");
  });
});

type Options = HttpLimits & {
  readonly routes: readonly Route[];
  readonly files: Files;
};

describe("TLS", () => {
  const first = makeOwnIdentity(folder, "first");
  const listen = async ({
    routes = makeRoutes({} as UseCases),
    files = first,
    ...limits
  }: Partial<Options> = {}) => {
    const api = {
      routes,
      sessions: { identify: async () => ({ kind: "unknown" }) as never },
      cors: makeCors("*"),
      addressOf: makeClientAddress([], () => {}),
      events: makeRecordingEventLog(),
      clock: makeFakeClock(),
    };
    const server = makeHttpServer(api, { ...httpLimits, ...limits }, readTlsIdentity(files, new Date()));
    return { server, port: await server.listen(0, "127.0.0.1") };
  };
  const caOf = ({ certificateFile }: Files) => readFileSync(certificateFile, "utf8");
  /** A connection with TLS on which this is sent, and what came back so far. */
  const send = (port: number, sent: string, transport?: Socket) => {
    const place = transport === undefined ? { host: "127.0.0.1", port } : { socket: transport };
    const socket = connect({ ...place, servername: "localhost", ca: caOf(first) });
    let text = "";
    socket.on("error", () => {}).setEncoding("utf8");
    socket.on("data", chunk => {
      text += chunk;
    });
    if (sent !== "") socket.write(sent);
    return { socket, text: () => text };
  };
  /** A connection that never begins the handshake. */
  const dialSilent = (port: number) =>
    dial(port, "127.0.0.1")
      .on("error", () => {})
      .resume();

  test("is spoken, with HSTS on answers of any kind, and plain HTTP is not", async () => {
    const { server, port } = await listen();
    const { statusCode, headers } = await askByTls(port, caOf(first));
    assert.equal(statusCode, 200);
    assert.equal(headers["strict-transport-security"], "max-age=31536000");
    const { socket, text } = send(port, "GARBAGE\r\n\r\n");
    await once(socket, "close");
    assert.match(text(), /^HTTP\/1\.1 400 [\s\S]*strict-transport-security: max-age=31536000\r\n/i);
    const plain = dial(port, "127.0.0.1").on("error", () => {});
    plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let answer = "";
    plain.on("data", chunk => {
      answer += chunk;
    });
    await once(plain, "close");
    assert.doesNotMatch(answer, /HTTP/);
    await closeEmpty(server, port, 1_000);
  });

  for (const [which, algorithm, isRenewed] of [
    ["an elliptic key", "ec", false],
    ["a renewed RSA key", "rsa", true],
  ] as const) {
    test(`with ${which} is 1.2 or 1.3, with authenticated encryption and forward secrecy, and is not renegotiated`, async () => {
      const files = makeOwnIdentity(folder, `${algorithm}-${isRenewed}`, { algorithm });
      const { server, port } = await listen(isRenewed ? {} : { files });
      if (isRenewed) server.renew(identityOf(files));
      const signed = algorithm === "ec" ? "ECDSA" : "RSA";
      // In another process, since this one has to answer.
      const run = (args: readonly string[], input = "") =>
        new Promise<string>(resolve => {
          const child = execFile(
            "openssl",
            ["s_client", "-connect", `127.0.0.1:${port}`, ...args],
            { timeout: 20_000 },
            (_e, out, err) => resolve(out + err),
          );
          child.stdin?.end(input);
        });
      const works = /Cipher is (?!\(NONE\))|New, TLSv1\.[23], Cipher is [A-Z]/;
      for (const args of [
        ["-tls1_2"],
        ["-tls1_3"],
        ["-tls1_2", "-cipher", `ECDHE-${signed}-CHACHA20-POLY1305`],
      ]) {
        assert.match(await run(args), works, args.join(" "));
      }
      for (const args of [
        ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
        ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
        ["-tls1_2", "-cipher", "AES128-SHA:AES256-SHA:AES128-GCM-SHA256:@SECLEVEL=0"],
        ["-tls1_2", "-cipher", `ECDHE-${signed}-AES128-SHA:ECDHE-${signed}-AES256-SHA384:@SECLEVEL=0`],
        ["-tls1_2", "-cipher", "DHE:AECDH:ADH:NULL:eNULL:3DES:RC4:@SECLEVEL=0"],
      ]) {
        assert.doesNotMatch(await run(args), works, args.join(" "));
      }
      const renegotiation = await run(["-tls1_2", "-legacy_renegotiation"], "R\n");
      assert.doesNotMatch(renegotiation, /RENEGOTIATING[\s\S]*verify return/);
      await closeEmpty(server, port, 1_000);
    });
  }

  test("takes another certificate without dropping a connection", async () => {
    const { server, port } = await listen();
    const second = makeOwnIdentity(folder, "second");
    const { socket: kept } = send(port, "");
    await once(kept, "secureConnect");
    server.renew(identityOf(second));
    assert.equal((await askByTls(port, caOf(second))).statusCode, 200);
    await assert.rejects(askByTls(port, caOf(first)));
    kept.write("OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(String((await once(kept, "data"))[0]), /^HTTP\/1\.1 200 /);
    kept.destroy();
    await closeEmpty(server, port, 1_000);
  });

  test("bounds the handshakes that do not go on", { timeout: 10_000 }, async () => {
    const { server, port } = await listen({
      tlsConnections: 5,
      receiveMilliseconds: 300,
      sweepMilliseconds: 10,
    });
    const sockets = Array.from({ length: 20 }, () => dialSilent(port));
    await Promise.all(sockets.map(socket => once(socket, "close")));
    const { connections, slowClients } = server.load().turnedAway;
    assert.deepEqual([connections > 0, connections + slowClients], [true, 20]);
    assert.equal((await askByTls(port, caOf(first))).statusCode, 200);
    await closeEmpty(server, port, 50);
  });

  test("lets a request finish whose handshake was over when it was asked to stop", async () => {
    const [begun, going] = [deferred(), deferred()];
    const slow = route("GET", "/slow", "NONE", {
      result: madeText("Welcome"),
      run: async () => {
        begun.resolve();
        await going.promise;
        return "{}";
      },
    });
    const { server, port } = await listen({ routes: [slow], drainMilliseconds: 1, lingerMilliseconds: 20 });
    const { socket, text } = send(port, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    const ended = once(socket, "close");
    await begun.promise;
    const silent = dialSilent(port);
    await until(() => openSockets(port).length === 2);
    const closed = closeEmpty(server, port, 60_000);
    // Now handshakes are ended: this one is not, since it is over.
    await once(silent, "close");
    going.resolve();
    await Promise.all([ended, closed]);
    assert.match(text(), /^HTTP\/1\.1 200 /);
  });

  test("ends handshakes under way when it is asked to stop, and waits for none", async () => {
    const { server, port } = await listen({ receiveMilliseconds: 3_600_000 });
    const silent = dialSilent(port);
    await until(() => openSockets(port).length === 1);
    // The grace period would outlast the test.
    await Promise.all([server.close(3_600_000), once(silent, "close")]);
    await until(() => openSockets(port).length === 0);
  });

  test("waits no longer than for any client for one that resets its connection before the response is written", async () => {
    let transport: Socket | undefined;
    const reset = route("GET", "/reset", "NONE", {
      result: madeText("Welcome"),
      run: async () => {
        transport?.resetAndDestroy();
        await nextTurn();
        return "{}";
      },
    });
    const limits = { lingerMilliseconds: 20, stallMilliseconds: 300 };
    const { server, port } = await listen({ routes: [reset], ...limits });
    transport = dial(port, "127.0.0.1");
    send(port, "GET /reset HTTP/1.1\r\nHost: x\r\n\r\n", transport);
    await once(transport, "close");
    await until(() => openSockets(port).length === 0);
    await closeEmpty(server, port, 1_000);
  });

  test("cuts clients that send too slowly", async () => {
    const { server, port } = await listen({
      receiveMilliseconds: 300,
      sweepMilliseconds: 10,
      lingerMilliseconds: 20,
    });
    const { socket, text } = send(port, "");
    await once(socket, "secureConnect");
    const dripping = setInterval(() => socket.write("\r\n"), 20);
    await once(socket, "close");
    clearInterval(dripping);
    assert.match(text(), /^HTTP\/1\.1 408 /);
    await closeEmpty(server, port, 1_000);
  });
});
