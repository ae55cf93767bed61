import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { commandLimits, connect } from "../../../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../../../src/adapters/postgres/connection/statement.ts";
import { listenLocally } from "../../../../support/listen.ts";
import { until } from "../../../../support/until.ts";

const sslRequest = 80_877_103;
const wantsPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/** A server without TLS that asks for a password and then closes; resolves to what it was told. */
async function logIn(parameters: string) {
  const heard: { tls: boolean; startup?: string[]; password?: string } = { tls: false };
  const server = createServer((socket: Socket) => {
    socket.on("data", message => {
      if (heard.startup !== undefined) {
        heard.password = message.toString("utf8", 5, message.length - 1);
        socket.destroy();
      } else if (message.readInt32BE(4) === sslRequest) {
        heard.tls = true;
        socket.write("N");
      } else {
        heard.startup = message.toString("utf8", 8).split("\0");
        socket.write(wantsPassword);
      }
    });
  });
  const port = await listenLocally(server);
  const database = connect(`postgres://ada:p%40ss@127.0.0.1:${port}/records${parameters}`, commandLimits);
  const failure = await database.query(sql`select 1`).then(
    () => undefined,
    (error: Error) => error.cause,
  );
  await database.close();
  server.close();
  return { ...heard, failure: failure instanceof Error ? failure.message : undefined };
}

describe("a connection", () => {
  test("logs in as DATABASE_URL says", async () => {
    const { tls, startup = [], password } = await logIn("?sslmode=disable");
    assert.equal(tls, false);
    assert.equal(startup[startup.indexOf("user") + 1], "ada");
    assert.equal(startup[startup.indexOf("database") + 1], "records");
    assert.equal(password, "p@ss");
  });

  test("sends nothing to a server that lacks the TLS it needs", async () => {
    const { tls, startup, failure } = await logIn("?sslmode=require");
    assert.deepEqual([tls, startup], [true, undefined]);
    assert.match(String(failure), /the server has no TLS$/);
  });

  test("that is refused at its opening is closed", async t => {
    const startup = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
    const fields = Buffer.from("SERROR\0VERROR\0C42501\0Mno right\0\0");
    const refusal = Buffer.concat([
      Buffer.from([0x45, 0, 0, 0, 4 + fields.length]),
      fields,
      startup.subarray(9),
    ]);
    let [opened, closed] = [0, 0];
    const server = createServer((socket: Socket) => {
      t.after(() => socket.destroy());
      opened += 1;
      socket.once("data", () => {
        socket.write(startup);
        socket.on("data", () => socket.writable && socket.write(refusal));
      });
      socket.on("error", () => {}).on("close", () => (closed += 1));
    });
    const port = await listenLocally(server);
    t.after(() => server.close());
    const database = connect(`postgres://ada@127.0.0.1:${port}/records`, commandLimits);
    await assert.rejects(database.query(sql`select 1`), { code: "UNAVAILABLE" });
    await until(() => closed === 1);
    assert.equal(opened, 1);
    await database.close();
  });
});
