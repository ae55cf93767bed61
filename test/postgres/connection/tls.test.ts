import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { commandLimits, connect } from "../../../src/adapters/postgres/connection/database.ts";
import { type DatabaseUrl, readDatabaseUrl } from "../../../src/adapters/postgres/connection/database-url.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeAuthority } from "../../support/certificates.ts";
import { connectTo } from "../../support/connect-to.ts";
import { listenLocally } from "../../support/listen.ts";
import {
  findPostgresBinaries,
  type NativePostgres,
  startNativePostgres,
} from "../../support/native-postgres.ts";
import { startService } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const binaries = process.env["TEST_DATABASE"] === "embedded" ? undefined : findPostgresBinaries();

function obstacle(): string | false {
  if (binaries === undefined) return "needs native PostgreSQL";
  return spawnSync("openssl", ["version"]).error === undefined ? false : "there is no openssl";
}

describe("TLS to PostgreSQL", { skip: obstacle() }, () => {
  const [ours, foreign] = [makeAuthority("ours"), makeAuthority("foreign")];
  const client = ours.sign("postgres");
  const stranger = foreign.sign("postgres");
  const files: Record<string, string> = {
    "ours.pem": ours.certificate,
    "foreign.pem": foreign.certificate,
    "client.pem": client.certificate,
    "client.key": client.key,
    "stranger.pem": stranger.certificate,
    "stranger.key": stranger.key,
  };
  let server: NativePostgres;
  let plain: NativePostgres;
  before(async () => {
    const { certificate, key } = ours.sign("db.example.com", "DNS:localhost,IP:127.0.0.1");
    server = await startNativePostgres(binaries ?? "", {
      settings: ["fsync=off", "ssl=on", "ssl_ca_file=ca.pem"],
      files: {
        "server.crt": certificate,
        "server.key": key,
        "ca.pem": ours.certificate,
        "pg_hba.conf":
          "local all all trust\n" +
          "hostssl certified all 127.0.0.1/32 cert\nhostssl postgres all 127.0.0.1/32 trust\n",
      },
    });
    plain = await startNativePostgres(binaries ?? "", { settings: ["fsync=off"] });
    const owner = connectTo(
      `postgres://postgres@${encodeURIComponent(server.socketFolder)}:${new URL(server.url).port}/postgres`,
    );
    await owner.query(sql`create database certified`);
    await owner.close();
  });
  after(async () => {
    await server.stop();
    await plain.stop();
  });

  /** Which TLS the server sees, or what went wrong. */
  const tryUrl = (text: string) => outcomeOf(readDatabaseUrl(text, path => files[path] ?? assert.fail(path)));
  async function outcomeOf(url: DatabaseUrl): Promise<string | undefined> {
    const database = connect(url, commandLimits);
    try {
      const [row] = await database.query<{ version: string | null }>(
        sql`select version from pg_stat_ssl where pid = pg_backend_pid()`,
      );
      return row?.version ?? "plain text";
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, "UNAVAILABLE");
      return ((error as Error).cause as Error).message;
    } finally {
      await database.close();
    }
  }
  const at = (host: string, query: string, database = "postgres") =>
    `postgres://postgres@${host}:${new URL(server.url).port}/${database}?${query}`;

  for (const [host, query, outcome] of [
    ["127.0.0.1", "sslmode=require", /^TLSv1\.3$/],
    ["127.0.0.1", "sslmode=verify-full&sslrootcert=ours.pem", /^TLSv1\.3$/],
    ["localhost", "sslmode=verify-full&sslrootcert=ours.pem", /^TLSv1\.3$/],
    [
      "127.0.0.1",
      "sslmode=verify-full&sslrootcert=foreign.pem",
      /unable to verify|self.signed|unable to get/,
    ],
    ["127.0.0.1", "sslmode=verify-ca&sslrootcert=foreign.pem", /unable to verify|self.signed|unable to get/],
    ["127.0.0.1", "sslmode=verify-full&sslrootcert=system", /unable to verify|self.signed|unable to get/],
    ["127.0.0.1", "sslmode=disable", /no pg_hba\.conf entry .* no encryption/],
  ] as const) {
    test(`at ${host} with ${query}: ${outcome.source}`, async () => {
      assert.match((await tryUrl(at(host, query))) ?? "", outcome);
    });
  }

  test("authorities that have changed since the start count for each new connection", async () => {
    files["authorities.pem"] = foreign.certificate;
    const url = readDatabaseUrl(
      at("127.0.0.1", "sslmode=verify-full&sslrootcert=authorities.pem"),
      path => files[path] ?? assert.fail(path),
    );
    const refused = /unable to verify|self.signed|unable to get/;
    assert.match((await outcomeOf(url)) ?? "", refused);
    files["authorities.pem"] = foreign.certificate + ours.certificate;
    assert.equal(await outcomeOf(url), "TLSv1.3");
    files["authorities.pem"] = foreign.certificate;
    assert.match((await outcomeOf(url)) ?? "", refused);
    files["authorities.pem"] = "nonsense";
    for (let time = 0; time < 2; time += 1) {
      assert.match((await outcomeOf(url)) ?? "", /: has certificates that are not in PEM/);
    }
  });

  test("a certificate for another name is refused by verify-full alone", async () => {
    // The server is called localhost and 127.0.0.1; this address leads to it all the same.
    const host = "0.0.0.0";
    assert.match(
      (await tryUrl(at(host, "sslmode=verify-full&sslrootcert=ours.pem"))) ?? "",
      /not in the cert's list|altnames/,
    );
    assert.equal(await tryUrl(at(host, "sslmode=verify-ca&sslrootcert=ours.pem")), "TLSv1.3");
  });

  test("a client's certificate is shown, and must be signed by whom the server knows", async () => {
    const shown = (name: string) =>
      `sslmode=verify-full&sslrootcert=ours.pem&sslcert=${name}.pem&sslkey=${name}.key`;
    assert.equal(await tryUrl(at("127.0.0.1", shown("client"), "certified")), "TLSv1.3");
    assert.match(
      (await tryUrl(at("127.0.0.1", shown("stranger"), "certified"))) ?? "",
      /unknown ca|closed|ECONNRESET/i,
    );
    const none = await tryUrl(at("127.0.0.1", "sslmode=require", "certified"));
    assert.match(none ?? "", /connection requires a valid client certificate/);
    assert.throws(
      () =>
        readDatabaseUrl(
          at("127.0.0.1", "sslmode=require&sslcert=client.pem&sslkey=stranger.key"),
          path => files[path] ?? "",
        ),
      { message: /a key that does not fit its certificate$/ },
    );
  });

  for (const [what, options, met] of [
    ["falls silent after the handshake", {}, /: no response within 2 s$/],
    [
      "requires its clients' certificates",
      { requestCert: true, rejectUnauthorized: true },
      /: [^\n]+ certificate required:[^\n]+$/,
    ],
  ] as const) {
    test(`a server that ${what} is given up, in one line`, async () => {
      const { certificate: cert, key } = ours.sign("other.example.com");
      const sockets: Socket[] = [];
      const server = createServer(socket => {
        socket.once("data", () => {
          socket.write("S");
          const secured = new TLSSocket(socket, { isServer: true, cert, key, ...options });
          sockets.push(secured.on("error", () => {}));
        });
      });
      const port = await listenLocally(server);
      const url = `postgres://postgres@127.0.0.1:${port}/x?sslmode=require`;
      assert.match((await tryUrl(url)) ?? "", met);
      for (const socket of sockets) socket.destroy();
      await promisify(server.close.bind(server))();
      // Also the one below a TLS connection that failed after its handshake.
      await until(async () => !process.getActiveResourcesInfo().includes("TCPSocketWrap"));
    });
  }

  test("a server without TLS is refused", async () => {
    assert.match((await tryUrl(`${plain.url}?sslmode=require`)) ?? "", /the server has no TLS$/);
  });

  test("serve starts all the same, answers 503 and logs the cause", async () => {
    const service = await startService({
      DATABASE_URL: `${plain.url}?sslmode=require`,
      SECRET_KEY: "a secret of the TLS tests, of thirty-two bytes",
    });
    const body = { email: "a@example.com", password: "secret 1" };
    const { status } = await service.call("POST", "/api/v1/auth/login", { body });
    assert.equal(status, 503);
    const { stdout, code } = await service.stop();
    assert.equal(code, 0);
    for (const event of ["the database is not available", "request failed"]) {
      assert.match(stdout, new RegExp(`"event":"${event}".*"cause":"[^"]*the server has no TLS"`));
    }
  });

  test("a Unix socket needs none", async () => {
    const url = `postgres://postgres@${encodeURIComponent(server.socketFolder)}:${new URL(server.url).port}/postgres?sslmode=verify-full`;
    assert.equal(await tryUrl(url), "plain text");
  });

  test("a statement is given up through TLS too", async () => {
    const url = at("127.0.0.1", "sslmode=verify-full&sslrootcert=ours.pem");
    const database = connect(
      readDatabaseUrl(url, path => files[path] ?? ""),
      { ...commandLimits, deadlineMilliseconds: 1_000 },
    );
    await assert.rejects(database.query(sql`select pg_sleep(60) as given_up`), { code: "UNAVAILABLE" });
    const isRunning = async () =>
      (
        await database.query(
          sql`select 1 from pg_stat_activity where query like '%given_up%' and pid <> pg_backend_pid()`,
        )
      ).length > 0;
    await until(async () => !(await isRunning()));
    await database.close();
  });
});
