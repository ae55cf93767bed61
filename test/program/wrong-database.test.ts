import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { openEmptyDatabase } from "../support/database.ts";
import { listenLocally } from "../support/listen.ts";
import { runProgram } from "../support/program.ts";

/** What may be at the port that DATABASE_URL names, by what it does to a client, and what the command says of it. */
const impostors: readonly {
  readonly what: string;
  readonly serve: (socket: Socket) => void;
  readonly says: RegExp;
}[] = [
  {
    what: "a web server",
    serve: socket =>
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")),
    says: /the server (closed the connection|has no TLS)$/,
  },
  {
    what: "a web server that keeps the connection",
    serve: socket => socket.once("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")),
    says: /(no response within 2 s|the server has no TLS)$/,
  },
  {
    what: "one that speaks first",
    serve: socket => socket.write("SSH-2.0-OpenSSH_9.2\r\n"),
    says: /(no response within 2 s|the server has no TLS)$/,
  },
  {
    what: "one that closes",
    serve: socket => socket.end(),
    says: /the server (closed the connection|has no TLS)$/,
  },
  { what: "one that resets", serve: socket => socket.resetAndDestroy(), says: /ECONNRESET|EPIPE/ },
  { what: "one that says nothing", serve: () => {}, says: /no response within 2 s$/ },
  {
    what: "one that begins like PostgreSQL and goes on no further",
    serve: socket => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])),
    says: /(no response within 2 s|the server has no TLS)$/,
  },
];

describe("a command whose database is something else", { concurrency: 8 }, () => {
  for (const { what, serve, says } of impostors) {
    for (const mode of ["disable", "require"]) {
      test(`ends with 69 and says so: ${what}, sslmode=${mode}`, { timeout: 60_000 }, async () => {
        const sockets = new Set<Socket>();
        const server = createServer(socket => {
          sockets.add(socket.on("error", () => {}));
          serve(socket);
        });
        const port = await listenLocally(server);
        const DATABASE_URL = `postgres://postgres@127.0.0.1:${port}/x?sslmode=${mode}`;
        const { code, stdout, stderr } = await runProgram(["migrate"], { DATABASE_URL });
        for (const socket of sockets) socket.destroy();
        server.close();
        assert.deepEqual([code, stdout], [69, ""]);
        const [, met = stderr] =
          /^migrate: The database is not available: 127\.0\.0\.1:\d+: (.*)\n$/.exec(stderr) ?? [];
        assert.match(met, says);
      });
    }
  }
});

test("a command whose database is not migrated says so", async () => {
  await using database = await openEmptyDatabase();
  for (const args of [
    ["export-logs"],
    ["export-trail"],
    ["create-admin", "--email", "a@example.com"],
    ["create-admin", "--email", "a@example.com", "--if-none"],
    ["set-password", "--email", "a@example.com"],
    [
      "verify",
      "--database",
      "--key",
      "trail.example.com+17de3164+AfizHZhuNqAKzdhdnvR1iWK3DbRS7VobdcLveB8SM2cL",
    ],
  ]) {
    const { code, stderr } = await runProgram(args, {
      DATABASE_URL: database.url,
      ADMIN_PASSWORD: "a password",
    });
    assert.equal(code, 1, args.join(" "));
    assert.match(
      stderr,
      /^[\w-]+: the database is behind this program \(missing: .*\): run migrate first\n$/,
    );
  }
});
