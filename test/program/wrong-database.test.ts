import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openEmptyDatabase } from "../support/database.ts";
import { listenLocally } from "../support/listen.ts";
import { runProgram } from "../support/program.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

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

test("migrate makes no second set of tables where search_path names another schema than theirs", async t => {
  await using database = await openEmptyDatabase();
  if (!database.hasUsers) return t.skip("the embedded database has one session for everybody");
  const owner = database.session();
  const schemas = async () =>
    (
      await owner<{ schema: string }[]>`
        select relnamespace::regnamespace::text as schema from pg_class where relname = 'schema_migration' order by 1`
    ).map(({ schema }) => schema);
  const migrateIn = async (path: string) => {
    await owner.unsafe(`alter database ${database.name} set search_path to ${path}`);
    return await runProgram(["migrate"], { DATABASE_URL: database.url, TRAIL_STATE_FILE: stateFile });
  };
  const stateFile = join(makeTemporaryFolder(), "checkpoint");
  await owner.unsafe("create schema app; create schema archive");
  const first = await migrateIn("app");
  assert.equal(first.code, 0, first.stderr);
  // What the file says of a database without records would send the operator to a backup.
  writeFileSync(stateFile, "trail.example.com\n6\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n");

  const refused = (found: string) => ({
    code: 1,
    stdout: "",
    stderr: `migrate: search_path does not include the schema ${found}, which has the tables of this program: set it for the role\n`,
  });
  assert.deepEqual(await migrateIn("public"), refused("app"));
  assert.deepEqual(await schemas(), ["app"]);

  await owner.unsafe("create table archive.schema_migration (version integer)");
  assert.deepEqual(await migrateIn("public"), refused("app or archive"));
  await owner.unsafe("drop table archive.schema_migration");

  rmSync(stateFile);
  // Whoever may make temporary tables keeps nobody from a first migration.
  await owner.unsafe("drop schema app cascade; create temporary table schema_migration (version integer)");
  const { code, stderr } = await migrateIn("public");
  assert.equal(code, 0, stderr);
  const [, made] = await schemas();
  assert.equal(made, "public");
});
