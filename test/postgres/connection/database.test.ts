import assert from "node:assert/strict";
import { createServer, connect as dial, type Socket } from "node:net";
import { describe, test } from "node:test";
import { commandLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { isRefused } from "../../../src/adapters/postgres/connection/sqlstate.ts";
import { script, sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { UnsuitableDatabase } from "../../../src/application/unsuitable-database.ts";
import { connectTo } from "../../support/connect-to.ts";
import { openDatabase, openEmptyDatabase, untilWaiting } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { listenLocally } from "../../support/listen.ts";
import { freePort } from "../../support/native-postgres.ts";
import { deferred, inTime, once, succeeds, until } from "../../support/until.ts";

const unavailable = { name: "DomainError", code: "UNAVAILABLE", message: "The database is not available" };

/** Passes all on to a database from this port, and shows what clients send. */
async function relay(database: URL, port: number, show = (_chunk: Buffer, _client: Socket) => {}) {
  const server = createServer(client => {
    const upstream = dial(Number(database.port), database.hostname);
    client.on("data", chunk => show(chunk, client));
    client.pipe(upstream).pipe(client);
    client.on("error", () => {}).on("close", () => upstream.destroy());
    upstream.on("error", () => {}).on("close", () => client.destroy());
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return () => new Promise(resolve => server.close(resolve));
}

describe("the connection", async () => {
  const opened = await shared(openDatabase());

  test("identifiers come as numbers, timestamps as the text that clients see", async () => {
    const database = opened.connect(commandLimits);
    const [row] = await database.query(
      sql`select 9007199254740991::bigint as id, '2026-03-29 02:30:00.5'::timestamp as date`,
    );
    assert.deepEqual({ ...row }, { id: 9_007_199_254_740_991, date: "2026-03-29T02:30:00.5" });
  });

  test("a session reads texts in one way, whatever the role or the database sets", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
    const owner = opened.session();
    for (const setting of ["DateStyle = german", "standard_conforming_strings = off"]) {
      await owner.unsafe(`alter database ${opened.name} set ${setting}`);
    }
    const database = opened.connect(commandLimits);
    const [row] = await database.query(
      sql`select current_date::text ~ '^\\d{4}-' as date, '"T"' as text, length('\\\\x41'::bytea) as bytes`,
    );
    assert.deepEqual({ ...row }, { date: true, text: '"T"', bytes: 4 });
    for (const setting of ["DateStyle", "standard_conforming_strings"]) {
      await owner.unsafe(`alter database ${opened.name} reset ${setting}`);
    }
  });

  test("a statement's own fault is not taken for a lost connection", async () => {
    const database = opened.connect(commandLimits);
    await assert.rejects(database.query(sql`select nonsense`), { name: "PostgresError", code: "42703" });
    assert.equal((await database.query(sql`select 1 as one`)).length, 1);
  });

  for (const [setting, code] of [
    ["lock_timeout=10", "55P03"],
    ["statement_timeout=200", "57014"],
    ["default_transaction_isolation=serializable", "40001"],
  ] as const) {
    test(`a statement that fails because of another one is no lost connection: ${setting}`, async t => {
      if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
      const other = opened.session();
      const database = opened.connect(commandLimits);
      await database.query(script(`set ${setting}`));
      await other`insert into asset (name, description) values (${setting}, '')`;
      await other`begin`;
      await other`update asset set active = false where name = ${setting}`;
      const refused = database
        .query(sql`update asset set active = false where name = ${setting}`)
        .catch(error => [error.cause?.code ?? error.code, isRefused(error)]);
      if (code === "40001") {
        await untilWaiting(other);
        await other`commit`;
      }
      assert.deepEqual(await refused, [code, true]);
    });
  }

  test("a statement whose preparation the server has lost is run again with the same values", async () => {
    const database = opened.connect(commandLimits);
    const read = () =>
      database.query(sql`select ${true}::boolean as yes, ${false}::boolean as no, ${7}::bigint as id`);
    const expected = await read();
    await database.query(script("deallocate all"));
    assert.deepEqual(await read(), expected);
    assert.deepEqual(expected, [{ yes: true, no: false, id: 7 }]);
  });

  test("a connection whose server takes no writes any more is not used again", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
    const database = opened.connect(commandLimits);
    // As seen by the session, its primary has become a standby.
    await database.query(sql`set default_transaction_read_only = on`);
    await assert.rejects(database.query(sql`create table written_for_good (n integer)`), unavailable);
    await database.query(sql`create table written_for_good (n integer)`);
    await database.query(sql`drop table written_for_good`);
  });

  test("a database that is not there is UNAVAILABLE, and used again once it is", async () => {
    const port = await freePort();
    const url = new URL(opened.url);
    const database = connectTo(`postgres://${url.username}@127.0.0.1:${port}${url.pathname}`, commandLimits);
    await assert.rejects(database.query(sql`select 1`), unavailable);

    const closeRelay = await relay(url, port);
    await until(() => succeeds(database.query(sql`select 1 as one`)));
    await database.close();
    await closeRelay();
  });

  for (const [how, cut] of [
    ["closed", (socket: Socket) => socket.destroy()],
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    test(`a connection that is ${how} under its first statement is UNAVAILABLE at once, other hosts or none`, {
      timeout: 20_000,
    }, async () => {
      const url = new URL(opened.url);
      const [port, other] = [await freePort(), await freePort()];
      const closeRelay = await relay(url, port, (chunk, socket) => {
        if (chunk.includes("cut_here")) cut(socket);
      });
      for (const hosts of [`127.0.0.1:${port}`, `127.0.0.1:${port},127.0.0.1:${other}`]) {
        const database = connectTo(`postgres://${url.username}@${hosts}${url.pathname}`, commandLimits);
        const cut = database.query(sql`select ${1}::int as cut_here`);
        await assert.rejects(cut, unavailable);
        const { cause } = (await cut.catch(error => error)) as Error;
        assert.ok(cause instanceof Error);
        assert.match(cause.message, new RegExp(`^127\\.0\\.0\\.1:${port}: (?!.*localhost)`));
        assert.deepEqual([...(await database.query(sql`select ${1}::int as one`))], [{ one: 1 }]);
        await database.close();
      }
      await closeRelay();
    });
  }

  test("a connection that is kept for a time is opened anew after that, and not before", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
    let later = 0;
    const { now } = performance;
    t.mock.method(performance, "now", () => now.call(performance) + later);
    const database = opened.connect({ ...commandLimits, connections: 1 }, { keptMilliseconds: 3_600_000 });
    const pid = async () =>
      (await database.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid;
    const first = await pid();
    assert.equal(await pid(), first);
    later = 3_600_000;
    assert.notEqual(await pid(), first);
  });

  test("a connection that is refused at its opening is closed", async () => {
    await using own = await openEmptyDatabase();
    const refuse = () => {
      throw new UnsuitableDatabase("planted");
    };
    const database = own.connect(commandLimits, { check: { statement: sql`select 1`, refuse } });
    for (let i = 0; i < 3; i += 1) await assert.rejects(database.query(sql`select 1`), unavailable);
    await own.assertUnconnected();
  });

  test("a host that does not answer, and one that takes no writes, are passed over for the primary", async () => {
    const silent: Socket[] = [];
    const heardEnd = deferred();
    const server = createServer(socket => {
      silent.push(socket);
      socket.on("error", () => {}).on("close", heardEnd.resolve);
      // Reads what comes, and never sends anything.
      socket.resume();
    });
    const port = await listenLocally(server);
    const { host, username, pathname } = new URL(opened.url);
    const url = `postgres://${username}@127.0.0.1:${port},127.0.0.1:${await freePort()},${host}${pathname}`;
    const database = connectTo(`${url}?target_session_attrs=read-write`);
    const ask = () => database.query(sql`select pg_backend_pid() as pid`);
    assert.equal((await ask()).length, 1);
    assert.equal(silent.length, 1);
    // It hears the end while the database is in use, and not only when the connections are closed.
    await inTime("the end of a connection to a silent host", heardEnd.promise);
    // More connections than one, and none of them by way of the silent host.
    await Promise.all(Array.from({ length: 5 }, ask));
    assert.equal(silent.length, 1);
    await database.close();

    for (const socket of silent) socket.destroy();
    server.close();
  });

  test("a statement that misses its deadline is given up by the server too, whichever host that is", async t => {
    // The embedded PostgreSQL runs one statement at a time, and cannot be spoken to meanwhile.
    if (process.env["TEST_SERVER_URL"] === undefined) return t.skip("needs native PostgreSQL");
    const { hostname, port, username, pathname } = new URL(opened.url);
    const url = `postgres://${username}@127.0.0.1:${await freePort()},${hostname}:${port}${pathname}`;
    const database = connectTo(url, { ...commandLimits, deadlineMilliseconds: 1_000 });
    await assert.rejects(
      database.query(sql`select pg_sleep(60) as a_statement_that_is_given_up`),
      unavailable,
    );
    const watch = opened.connect(commandLimits);
    const isRunning = async () => {
      const [row] = await watch.query<{ running: number }>(
        sql`
          select count(*)::int as running from pg_stat_activity
          where state = 'active' and query like '%a_statement_that%' and pid <> pg_backend_pid()`,
      );
      return row?.running !== 0;
    };
    await until(async () => !(await isRunning()));
    await database.close();
  });
});
