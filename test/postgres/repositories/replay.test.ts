import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { commandLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { script, sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { migrate } from "../../../src/adapters/postgres/schema/migrations.ts";
import { byAdmin } from "../../support/by-admin.ts";
import { connectTo } from "../../support/connect-to.ts";
import { openDatabase, schema } from "../../support/database.ts";
import { findPostgresBinaries, startNativePostgres } from "../../support/native-postgres.ts";
import { recording } from "../../support/recording-database.ts";
import { stocked } from "../../support/stocked.ts";
import { aLog } from "../../support/test-records.ts";
import { succeeds, until } from "../../support/until.ts";

test("a replayed log is not acknowledged before the synchronous standby has it", async t => {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) return t.skip("this machine has no PostgreSQL binaries");
  const server = await startNativePostgres(binaries);
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  const patient = connectTo(server.url, commandLimits);
  const database = connectTo(server.url, { connections: 2, deadlineMilliseconds: 500, waiting: 10 });
  t.after(async () => {
    await Promise.all([patient.close(), database.close(), admin.end({ timeout: 1 })]);
    await server.stop();
  });
  await migrate(patient, schema);
  const { performer, asset } = await stocked(patient);
  const { maintenanceLogs } = byAdmin(makeRepositories(database));
  const send = () => maintenanceLogs.append(asset.id, performer, aLog(), "key");
  const stored = async () => (await admin`select id from maintenance_log`).length;
  const waitFor = async (standby: string) => {
    await admin.unsafe(`alter system set synchronous_standby_names = '${standby}'`);
    await admin`select pg_reload_conf()`;
    await until(
      async () => (await admin`show synchronous_standby_names`)[0]?.["synchronous_standby_names"] === standby,
    );
  };

  await waitFor("absent");
  // The checkpointer puts the setting in force, some time after the sessions have read it.
  const commits = () =>
    succeeds(database.query(sql`update asset set active = active where id = ${asset.id} returning id`));
  await until(async () => !(await commits()));
  await assert.rejects(send(), { code: "UNAVAILABLE" });
  // Whoever gave up the wait for the standby has committed on the primary, where the next one sees the log.
  await until(stored);
  await assert.rejects(send(), { code: "UNAVAILABLE" });
  await waitFor("");
  assert.equal((await send()).isReplay, true);
  assert.equal(await stored(), 1);
});

test("logs that are replayed together are confirmed by one statement", async () => {
  await using opened = await openDatabase();
  const { database, sent } = recording(opened.connect());
  const { maintenanceLogs, performer, asset } = await stocked(database);
  const keys = Array.from({ length: 50 }, (_, n) => `key-${n}`);
  const sendAll = () =>
    Promise.all(keys.map(key => maintenanceLogs.append(asset.id, performer, aLog(), key)));
  await sendAll();
  sent.length = 0;
  const replayed = await sendAll();
  assert.ok(replayed.every(({ isReplay }) => isReplay));
  assert.deepEqual(
    sent.map(({ text }) => text.includes("for key share")),
    [false, true],
  );
});

test("what a checkpoint is about to cover is confirmed by a statement too", async () => {
  await using opened = await openDatabase();
  const { database, sent } = recording(opened.connect());
  await makeRepositories(database).trail.checkpoints.confirm();
  assert.deepEqual(
    sent.map(({ text }) => text.includes("for key share")),
    [true],
  );
});

test("a key whose log is stored but cannot be read is an error after the second statement", async t => {
  await using opened = await openDatabase();
  if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
  const owner = opened.connect(commandLimits);
  const { performer, asset } = await stocked(owner);
  const connected = opened.connect(commandLimits);
  await connected.query(sql`set role maintenance_log_service`);
  const { database, sent } = recording(connected);
  const { maintenanceLogs } = byAdmin(makeRepositories(database));
  const send = () => maintenanceLogs.append(asset.id, performer, aLog(), "key");
  const { log } = await send();
  await owner.query(
    script(`
      alter table maintenance_log enable row level security;
      create policy write_any on maintenance_log for insert with check (true);
      create policy read_others on maintenance_log for select using (id <> ${log.id})`),
  );
  sent.length = 0;
  await assert.rejects(send(), { message: /cannot read/ });
  assert.equal(sent.length, 2);
});
