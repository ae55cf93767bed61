import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import * as net from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { inheritedSocket } from "../../src/commands/listening.ts";
import { sendWrite } from "../lab/faults/load.ts";
import { makeRandom } from "../lab/faults/random.ts";
import { send } from "../lab/faults/request.ts";
import { makeWrite } from "../lab/faults/write.ts";
import { script } from "../support/compiled.ts";
import { openDatabase } from "../support/database.ts";
import { shared } from "../support/left-open.ts";
import { operationsOf, runProgram, type Settings } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";
import { inTime, until } from "../support/until.ts";

interface SocketHandle {
  readonly fd: number;
  getsockname(into: object): number;
  close(): void;
}

/** A bound socket that this process holds and never accepts from, as systemd does for a service. */
function holdSocket() {
  // What node:cluster binds with: a public server would accept for itself.
  const { _createServerHandle: bind } = net as unknown as {
    _createServerHandle(host: string, port: number, family: 4): SocketHandle;
  };
  const handle = bind("127.0.0.1", 0, 4);
  const address: { port?: number } = {};
  handle.getsockname(address);
  return {
    port: address.port ?? 0,
    close: () => handle.close(),
    /** Starts `serve` on it as systemd would, and waits until it listens. */
    async start(settings: Settings) {
      // A shell for what systemd does between fork and exec: only there the process knows its own id.
      const program = spawn(
        "/bin/sh",
        ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, ...script("src/main.ts"), "serve"],
        {
          env: { PATH: process.env["PATH"], LISTEN_FDS: "1", ...settings },
          stdio: ["ignore", "pipe", "pipe", handle.fd],
        },
      );
      const lines: string[] = [];
      const stderr = text(program.stderr as NodeJS.ReadableStream);
      const ended = once(program, "close").then(async ([code]) => ({
        code: code as number | null,
        stderr: await stderr,
      }));
      const listening = new Promise<void>((resolve, reject) => {
        createInterface({ input: program.stdout as NodeJS.ReadableStream }).on("line", line => {
          lines.push(line);
          if (JSON.parse(line).event === "listening") resolve();
        });
        ended.then(outcome => reject(new Error(`serve ended: ${JSON.stringify(outcome)}`)));
      });
      await inTime("a service that listens", listening);
      return {
        lines,
        /** SIGTERM, and the end. */
        stop() {
          program.kill("SIGTERM");
          return inTime("the end of serve", ended);
        },
      };
    },
  };
}

describe("a socket that is passed on", () => {
  test("is taken only by the process that it is meant for", () => {
    const own = 4711;
    assert.equal(inheritedSocket({ LISTEN_PID: "4711", LISTEN_FDS: "1" }, own), 3);
    assert.equal(inheritedSocket({ LISTEN_PID: "4712", LISTEN_FDS: "1" }, own), undefined);
    assert.equal(inheritedSocket({ LISTEN_PID: "4711" }, own), undefined);
    assert.equal(inheritedSocket({ LISTEN_FDS: "1" }, own), undefined);
    assert.equal(inheritedSocket({}, own), undefined);
  });

  test("is one, or the settings are wrong", () => {
    for (const count of ["0", "2", "", "one"]) {
      const environment = { LISTEN_PID: "7", LISTEN_FDS: count };
      assert.throws(() => inheritedSocket(environment, 7), { name: "CommandError", exitCode: 78 });
    }
  });

  test("is refused where it is no TCP socket", async t => {
    const held = net.createServer().listen(join(makeTemporaryFolder(), "socket"));
    t.after(() => held.close());
    const { fd } = (held as unknown as { _handle: { fd: number } })._handle;
    const { status, stderr } = spawnSync(
      "/bin/sh",
      ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, ...script("src/main.ts"), "serve"],
      {
        env: {
          PATH: process.env["PATH"],
          LISTEN_FDS: "1",
          OPS_PORT: "0",
          SECRET_KEY: "a secret of the test of sockets, 32 bytes",
          DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
        },
        stdio: ["ignore", "pipe", "pipe", fd],
        encoding: "utf8",
      },
    );
    const said = "serve: cannot listen on the socket that was passed on: it is not a TCP socket\n";
    assert.deepEqual([status, stderr], [1, said]);
  });
});

/** Restarts under load, and clients that write at the same time. */
const restarts = 5;
const clients = 6;

describe("a service on a socket that outlives it", async () => {
  const database = await shared(openDatabase());
  const settings = {
    DATABASE_URL: database.url,
    DATABASE_DURABILITY: database.hasUsers ? "required" : "any",
    SECRET_KEY: "a secret of the restart tests, thirty-two bytes",
    // Nobody listens there: it must not be asked.
    HOST: "192.0.2.1",
    OPS_PORT: "0",
  };
  const admin = ["create-admin", "--email", "admin@example.com"];
  const { code } = await runProgram(admin, { DATABASE_URL: database.url, ADMIN_PASSWORD: "secret 1" });
  assert.equal(code, 0);
  const socket = holdSocket();
  after(() => socket.close());

  test("keeps the length of its queue", async t => {
    const service = await socket.start(settings);
    const { stdout, error } = spawnSync("ss", ["-Hltn", `sport = ${socket.port}`], { encoding: "utf8" });
    await service.stop();
    if (error !== undefined) return t.skip("this machine has no ss");
    const most = Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
    assert.equal(Number(stdout.split(/ +/)[2]), Math.min(4_096, most), stdout);
  });

  test("restarts without refusing a connection, losing a write or doubling one", async t => {
    let service = await socket.start(settings);
    const { port, host } = service.lines
      .map(line => JSON.parse(line))
      .find(({ event }) => event === "listening");
    assert.deepEqual([port, host], [socket.port, undefined]);
    const { json } = await operationsOf(service).call("GET", "/openapi.json");
    assert.deepEqual(json.servers, [{ url: `http://127.0.0.1:${socket.port}` }]);
    const body = { email: "admin@example.com", password: "secret 1" };
    const login = await send(socket.port, "/api/v1/auth/login", { method: "POST", body });
    const { token } = login.json as { token: string };
    const asset = { method: "POST", token, body: { name: "Pump" } };
    assert.equal((await send(socket.port, "/api/v1/assets", asset)).status, 201);

    const random = makeRandom(1);
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const acknowledged = new Set<string>();
    const errors = new Map<string, number>();
    let running = true;
    // A failed assertion would leave the clients sending.
    t.after(async () => {
      running = false;
      agent.destroy();
      await service.stop();
    });
    /** Half of the clients keep their connections, half make a new one for each request. */
    async function client(number: number): Promise<void> {
      for (let n = 0; running; n++) {
        const write = makeWrite(random, `${number}.${n}`, [1], 20);
        for (let sent = false; !sent; ) {
          try {
            const { status } = await sendWrite(
              socket.port,
              write,
              token,
              number % 2 === 0 ? agent : undefined,
            );
            assert.equal(status, 201);
            sent = true;
          } catch (error) {
            const { code = String(error) } = error as NodeJS.ErrnoException;
            errors.set(code, (errors.get(code) ?? 0) + 1);
            // A request that meets the end of a connection that was kept may have been written or not: it is sent again under its key.
            assert.deepEqual([code, number % 2], ["ECONNRESET", 0]);
          }
        }
        acknowledged.add(write.key);
      }
    }
    const load = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    for (let restart = 0; restart < restarts; restart++) {
      const before = acknowledged.size;
      await Promise.race([load, until(() => acknowledged.size >= before + 50)]);
      assert.deepEqual(await service.stop(), { code: 0, stderr: "" });
      service = await socket.start(settings);
    }
    running = false;
    await load;

    const rows = await database.session()`select idempotency_key as key from maintenance_log`;
    assert.deepEqual(rows.map(row => row["key"] as string).sort(), [...acknowledged].sort());
    assert.equal((await service.stop()).code, 0);
    t.diagnostic(`${acknowledged.size} writes over ${restarts} restarts; ${JSON.stringify([...errors])}`);
  });
});
