import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { commandLimits, connect } from "../../../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../../../src/adapters/postgres/connection/statement.ts";
import { listenLocally } from "../../../../support/listen.ts";

const message = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};
const ready = message("Z", Buffer.from("I"));
/** A row with the column `isWritable`, true: what a connection asks first. */
const opened = Buffer.concat([
  message(
    "T",
    Buffer.from([0, 1]),
    Buffer.from("isWritable\0"),
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 1, 255, 255, 255, 255, 0, 0]),
  ),
  message("D", Buffer.from([0, 1, 0, 0, 0, 1]), Buffer.from("t")),
  message("C", Buffer.from("SELECT 1\0")),
]);

for (const type of ["G", "H", "W"]) {
  test(`a COPY that a server begins by itself is a lost connection, and the process goes on: ${type}`, async () => {
    const sockets: Socket[] = [];
    const server = createServer(socket => {
      sockets.push(socket);
      let hasStarted = false;
      socket.on("error", () => {});
      socket.on("data", bytes => {
        if (!hasStarted) socket.write(Buffer.concat([message("R", Buffer.alloc(4)), ready]));
        else if (bytes.includes("isWritable")) socket.write(Buffer.concat([opened, opened, ready]));
        else if (bytes.includes("select 1")) {
          socket.write(message(type, Buffer.from([0, 0, 0])));
          setTimeout(() => socket.destroy(), 20);
        }
        hasStarted = true;
      });
    });
    const port = await listenLocally(server);
    const database = connect(`postgres://u@127.0.0.1:${port}/db`, commandLimits);
    const unexpected: unknown[] = [];
    const note = (error: unknown) => unexpected.push(error);
    process.on("uncaughtException", note);
    await assert.rejects(database.query(sql`select 1`), (error: { code: string; cause: Error }) => {
      assert.deepEqual(
        [error.code, /began a COPY$/.test(error.cause.message)],
        ["UNAVAILABLE", true],
        String(error.cause),
      );
      return true;
    });
    await new Promise(resolve => setTimeout(resolve, 100));
    process.off("uncaughtException", note);
    assert.deepEqual(unexpected, []);
    await database.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}
