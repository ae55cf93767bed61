import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { commandLimits } from "../../../../../src/adapters/postgres/connection/database.ts";
import { dial } from "../../../../../src/adapters/postgres/connection/dial.ts";
import { sql } from "../../../../../src/adapters/postgres/connection/statement.ts";
import { connectTo } from "../../../../support/connect-to.ts";
import { listenLocally } from "../../../../support/listen.ts";
import { deferred, inTime, until } from "../../../../support/until.ts";

const sslRequest = 80_877_103;

const message = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};
const wantsPassword = message("R", Buffer.from([0, 0, 0, 3]));
const ready = message("Z", Buffer.from("I"));
const welcome = Buffer.concat([message("R", Buffer.alloc(4)), ready]);
const refusal = Buffer.concat([message("E", Buffer.from("SERROR\0VERROR\0C42501\0Mno right\0\0")), ready]);
/** A row with one column, true: isWritable of what a connection asks first. */
const row = (name: string) => [
  message(
    "T",
    Buffer.from([0, 1]),
    Buffer.from(`${name}\0`),
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 1, 255, 255, 255, 255, 0, 0]),
  ),
  message("D", Buffer.from([0, 1, 0, 0, 0, 1]), Buffer.from("t")),
  message("C", Buffer.from("SELECT 1\0")),
];
const opened = Buffer.concat([...row("isWritable"), ...row("isWritable"), ready]);

/** A server of messages. It never ends a connection, as one that is frozen, unless the test does. */
async function openServer(
  t: TestContext,
  parameters: string,
  hear: (socket: Socket, sent: Buffer, count: number) => void,
  limits = commandLimits,
) {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, socket => {
    sockets.push(socket);
    let count = 0;
    socket.on("error", () => {}).on("data", sent => hear(socket, sent, count++));
  });
  const port = await listenLocally(server);
  const database = connectTo(`postgres://ada:p%40ss@127.0.0.1:${port}/records${parameters}`, limits);
  t.after(async () => {
    await database.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, sockets, database, ask: () => database.query(sql`select 1`) };
}

/** What comes for a socket that is there no more is refused, and for one that is only half closed taken. */
async function assertGone(socket: Socket): Promise<void> {
  await until(() => socket.readableEnded);
  const refused = deferred();
  socket.on("close", refused.resolve);
  socket.write(ready);
  socket.write(ready);
  await inTime("the reset of a connection that is gone", refused.promise);
}

describe("a connection", () => {
  test("logs in as DATABASE_URL says, and without TLS sends nothing to a server that it needs TLS of", async t => {
    const startup = deferred<string[]>();
    const password = deferred<string>();
    const open = await openServer(t, "?sslmode=disable", (socket, sent, count) => {
      if (count > 0) password.resolve(sent.toString("utf8", 5, sent.length - 1));
      else startup.resolve(sent.toString("utf8", 8).split("\0"));
      if (count > 0) socket.destroy();
      else socket.write(wantsPassword);
    });
    await assert.rejects(open.ask(), { code: "UNAVAILABLE" });
    const sent = await startup.promise;
    const [user, database] = ["user", "database"].map(name => sent[sent.indexOf(name) + 1]);
    assert.deepEqual([user, database, await password.promise], ["ada", "records", "p@ss"]);

    const heard: (number | undefined)[] = [];
    const secured = await openServer(t, "?sslmode=require", (socket, sent) => {
      heard.push(sent.length === 8 ? sent.readInt32BE(4) : undefined);
      socket.write("N");
    });
    await assert.rejects(secured.ask(), ({ cause }) => /the server has no TLS$/.test(cause.message));
    assert.deepEqual(heard, [sslRequest]);
  });

  test("that is refused at its opening is closed", async t => {
    const { sockets, ask } = await openServer(t, "", (socket, _, count) =>
      socket.write(count === 0 ? welcome : refusal),
    );
    await assert.rejects(ask(), { code: "UNAVAILABLE" });
    await until(() => sockets.length === 1 && sockets[0]?.readableEnded === true);
  });

  test("to a server that never confirms its end is gone all the same", async t => {
    const { sockets, database, ask } = await openServer(t, "", (socket, sent, count) => {
      if (count === 0) socket.write(welcome);
      else if (sent.includes("isWritable")) socket.write(opened);
      else if (sent.includes("select 1")) socket.write(Buffer.concat([...row("one"), ready]));
    });
    await ask();
    await database.close();
    await assertGone(sockets[0] as Socket);
  });

  test("over which a statement was to be cancelled, and whose server never confirms its end, is given up after 2 s", async t => {
    const silence = new AbortController();
    const timeout = t.mock.method(AbortSignal, "timeout", () => silence.signal);
    const cancelling = deferred<Socket>();
    const { ask } = await openServer(
      t,
      "",
      (socket, sent, count) => {
        if (sent.length === 16) cancelling.resolve(socket);
        else if (count === 0) socket.write(welcome);
        else if (sent.includes("isWritable")) socket.write(opened);
      },
      { ...commandLimits, deadlineMilliseconds: 200 },
    );
    await assert.rejects(ask(), { code: "UNAVAILABLE" });
    const socket = await inTime("the request to cancel", cancelling.promise);
    await until(() => socket.readableEnded);
    assert.deepEqual(timeout.mock.calls[0]?.arguments, [2_000]);
    silence.abort();
    await assertGone(socket);
  });

  test("that is given up before it begins is not opened", async t => {
    const { port } = await openServer(t, "", () => {});
    const server = { name: "silent", host: "127.0.0.1", port };
    await assert.rejects(dial(server, undefined, AbortSignal.abort(new Error("given up"))), {
      message: "given up",
    });
  });

  for (const type of ["G", "H", "W"])
    test(`on which a server begins a COPY by itself is a lost one, and the process goes on: ${type}`, async t => {
      const { ask } = await openServer(t, "", (socket, sent, count) => {
        if (count === 0) socket.write(welcome);
        else if (sent.includes("isWritable")) socket.write(opened);
        else if (sent.includes("select 1")) {
          socket.write(message(type, Buffer.from([0, 0, 0])));
          setTimeout(() => socket.destroy(), 20);
        }
      });
      const unexpected: unknown[] = [];
      const note = (error: unknown) => unexpected.push(error);
      process.on("uncaughtException", note);
      await assert.rejects(
        ask(),
        ({ code, cause }) => code === "UNAVAILABLE" && /began a COPY$/.test(cause.message),
      );
      await new Promise(resolve => setTimeout(resolve, 100));
      process.off("uncaughtException", note);
      assert.deepEqual(unexpected, []);
    });
});
