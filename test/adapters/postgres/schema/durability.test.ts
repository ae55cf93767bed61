import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { commandLimits, connect } from "../../../../src/adapters/postgres/connection/database.ts";
import { script } from "../../../../src/adapters/postgres/connection/statement.ts";
import { refuseLossyDatabase } from "../../../../src/adapters/postgres/schema/server-settings.ts";
import { findPostgresBinaries, startNativePostgres } from "../../../support/native-postgres.ts";
import { until } from "../../../support/until.ts";

test("a server whose crash can lose what it has acknowledged is refused, and told why", async t => {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) return t.skip("this machine has no PostgreSQL binaries");
  const server = await startNativePostgres(binaries);
  const admin = postgres(server.url, { max: 1 });
  const database = connect(server.url, commandLimits);
  t.after(async () => {
    await Promise.all([admin.end({ timeout: 1 }), database.close()]);
    await server.stop();
  });
  await refuseLossyDatabase(database);
  for (const [setting, off, on] of [
    ["fsync", "off", "on"],
    ["full_page_writes", "off", "on"],
    ["synchronous_commit", "off", "on"],
    ["client_min_messages", "error", "notice"],
  ] as const) {
    const change = async (to: string) => {
      await admin.unsafe(`alter system set ${setting} = ${to}`);
      await admin`select pg_reload_conf()`;
      // A session looks for new settings before its next statement.
      const shown = async () => (await database.query(script(`show ${setting}`)))[0];
      await until(async () => Object.values((await shown()) ?? {})[0] === to);
    };
    await change(off);
    await assert.rejects(refuseLossyDatabase(database), {
      name: "UnsuitableDatabase",
      message: `the database can lose what it has acknowledged (${setting} ${off}): see DATABASE_DURABILITY`,
    });
    await change(on);
  }
  await refuseLossyDatabase(database);
});
