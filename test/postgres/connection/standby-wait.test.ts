import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { connect } from "../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { findPostgresBinaries, startNativePostgres } from "../../support/native-postgres.ts";
import { until } from "../../support/until.ts";

test("a commit whose wait for a synchronous standby was cancelled is not acknowledged", async t => {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) return t.skip("this machine has no PostgreSQL binaries");
  const server = await startNativePostgres(binaries);
  const watcher = postgres(server.url, { max: 1 });
  const database = connect(server.url);
  try {
    await watcher`create table written (n integer)`;
    await watcher`alter system set synchronous_standby_names = absent`;
    await watcher`select pg_reload_conf()`;
    const isHeard = async () =>
      (await watcher`show synchronous_standby_names`)[0]?.["synchronous_standby_names"];
    await until(async () => (await isHeard()) === "absent");
    // Commits wait from when the checkpointer has heard it, too.
    await watcher`checkpoint`;

    const write = database.query(sql`insert into written values (1) returning n`);
    const refused = assert.rejects(write, (error: { code: string; cause: Error }) => {
      const said = [error.code, error.cause.message.replace(/^127.0.0.1:\d+: /, "")];
      assert.deepEqual(said, ["UNAVAILABLE", "the wait for a synchronous standby was cancelled"]);
      return true;
    });
    const cancel = () =>
      watcher`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
    await until(async () => (await cancel()).length > 0);
    await refused;
    // It is committed here all the same, and the next statement has a connection of its own.
    assert.equal((await database.query(sql`select n from written`)).length, 1);
  } finally {
    await database.close();
    await watcher.end();
    await server.stop();
  }
});
