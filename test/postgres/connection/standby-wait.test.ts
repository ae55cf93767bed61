import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { commandLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { readDatabaseUrl } from "../../../src/adapters/postgres/connection/database-url.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { migrate } from "../../../src/adapters/postgres/schema/migrations.ts";
import { ServedDatabase } from "../../../src/commands/served-database.ts";
import type { ServeSettings } from "../../../src/config/settings.ts";
import { connectTo } from "../../support/connect-to.ts";
import { schema } from "../../support/database.ts";
import { findPostgresBinaries, startNativePostgres } from "../../support/native-postgres.ts";
import { anEmployee } from "../../support/test-records.ts";
import { until } from "../../support/until.ts";

test("a commit whose wait for a synchronous standby was cancelled is not acknowledged", async t => {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) return t.skip("this machine has no PostgreSQL binaries");
  const server = await startNativePostgres(binaries);
  const watcher = postgres(server.url, { max: 1 });
  const database = connectTo(server.url);
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

test("readiness waits for a standby as writes do, though all reads are answered", async t => {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) return t.skip("this machine has no PostgreSQL binaries");
  const server = await startNativePostgres(binaries);
  const watcher = postgres(server.url, { max: 1, onnotice: () => {} });
  const owner = connectTo(server.url, commandLimits);
  const settings = {
    databaseUrl: readDatabaseUrl(server.url),
    databaseUse: { isDurable: true },
  } as ServeSettings;
  const served = new ServedDatabase(settings);
  try {
    await migrate(owner, schema);
    await makeRepositories(owner).employees.appointAdmin(anEmployee());
    assert.deepEqual(await served.examine(), []);
    await watcher`alter system set synchronous_standby_names = absent`;
    await watcher`select pg_reload_conf()`;
    await until(
      async () =>
        (await watcher`show synchronous_standby_names`)[0]?.["synchronous_standby_names"] === "absent",
    );
    await watcher`checkpoint`;
    const examined = served.examine().catch(() => "not confirmed");
    const waits = () =>
      watcher`select from pg_stat_activity where wait_event = 'SyncRep' and query like '%for key share'`;
    await until(async () => (await waits()).length === 1);
    await watcher`alter system reset synchronous_standby_names`;
    await watcher`select pg_reload_conf()`;
    assert.deepEqual(await examined, []);
  } finally {
    await Promise.all([served.close(), owner.close()]);
    await watcher.end();
    await server.stop();
  }
});
