import assert from "node:assert/strict";
import { describe, test } from "node:test";
import postgres from "postgres";
import { probeLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import {
  examine,
  keepsFromServing,
  sessionCheck,
} from "../../../src/adapters/postgres/schema/examination.ts";
import { migrate } from "../../../src/adapters/postgres/schema/migrations.ts";
import type { Use } from "../../../src/adapters/postgres/schema/promises.ts";
import { unsuitabilityOf } from "../../../src/application/unsuitable-database.ts";
import { connectTo } from "../../support/connect-to.ts";
import { openDatabase, schema } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { findPostgresBinaries, startNativePostgres } from "../../support/native-postgres.ts";
import { recording } from "../../support/recording-database.ts";
import { allIds, endAt } from "../../support/trail-stage.ts";
import { until } from "../../support/until.ts";

const durable: Use = { isDurable: true };

/** What a connection, opened as `serve` opens one, is refused for. */
async function refusalOf(url: string, use: Use): Promise<string | undefined> {
  const database = connectTo(url, probeLimits, {
    mayLoseCommits: !use.isDurable,
    check: sessionCheck(use),
  });
  const error = await database.query(sql`select 1`).then(
    () => undefined,
    (error: unknown) => error,
  );
  await database.close();
  return error === undefined ? undefined : (unsuitabilityOf(error) ?? assert.fail(String(error))).message;
}

/** What `examine` finds, as a name and words. */
async function findingsOf(url: string, use: Use = durable): Promise<string[]> {
  const database = connectTo(url, probeLimits);
  const findings = await examine(database, schema, use);
  await database.close();
  return findings.map(({ promise, words }) => `${promise.name}: ${words}`);
}

describe("a session", async () => {
  const opened = await shared(openDatabase());
  const admin = opened.session();

  const shown = async (name: string) => {
    const database = opened.connect(probeLimits);
    const rows = await database.query<{ value: string }>(sql`select current_setting(${name}) as value`);
    return rows[0]?.value;
  };

  for (const [name, given, kept] of [
    ["TimeZone", "UTC+5", "Etc/UTC"],
    ["DateStyle", "German", "ISO, MDY"],
    ["standard_conforming_strings", "off", "on"],
    ["default_transaction_isolation", "serializable", "read committed"],
    ["client_min_messages", "error", "notice"],
    ["quote_all_identifiers", "on", "off"],
    ["synchronous_commit", "off", "on"],
    ["synchronous_commit", "local", "on"],
    ["synchronous_commit", "remote_write", "on"],
    ["synchronous_commit", "remote_apply", "remote_apply"],
    ["search_path", "elsewhere, public", "public, pg_temp"],
  ] as const) {
    test(`has ${name} ${kept} where the database says ${given}`, async t => {
      if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
      await admin.unsafe(`create schema if not exists elsewhere`);
      const value = name === "search_path" ? given : `'${given}'`;
      await admin.unsafe(`alter database ${opened.name} set ${name} = ${value}`);
      assert.equal(await shown(name), kept);
      await admin.unsafe(`alter database ${opened.name} reset ${name}`);
    });
  }

  test("finds no temporary table in place of one of ours", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
    const insert = `insert into asset (name, description) values ('Pump', '')`;
    await admin.begin(async thief => {
      await thief.unsafe("create temp table asset_event (like public.asset_event including all)");
      await assert.rejects(
        thief.savepoint(inner => inner.unsafe(insert)),
        /asset_event is not the table beside asset/,
      );
    });
    await admin.begin(async thief => {
      await thief.unsafe("create temp table employee_event (like public.employee_event including all)");
      const employee = `insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
        values ('Ada', 'Byron', '+45 12 34', 'a@b.cd', 'a@b.cd', 'ADMIN', 'x')`;
      await assert.rejects(
        thief.savepoint(inner => inner.unsafe(employee)),
        /employee_event is not the table beside employee/,
      );
    });
  });

  test("runs no function of a trigger that names a table without making sure that it is the one beside its own", async () => {
    const functions = await admin<{ name: string; source: string }[]>`
      select proname as name, prosrc as source from pg_proc
      where prorettype = 'trigger'::regtype and pronamespace = 'public'::regnamespace`;
    assert.ok(functions.length >= 5);
    for (const { name, source } of functions) {
      if (!/\b(insert into|update|delete from|select) /.test(source)) continue;
      assert.match(source, /other\.oid = '\w+'::regclass/, name);
    }
  });
});

describe("each promise of the database", async () => {
  const opened = await shared(openDatabase());
  const { name } = opened;
  const admin = opened.session();
  await admin.unsafe(`
    revoke connect, temporary on database ${name} from public;
    revoke execute on function lo_from_bytea(oid, bytea), lo_create(oid), lo_creat(integer) from public`);

  const ownership = (lines: readonly string[]) =>
    lines.filter(line => !/needs no right to own maintenance_log$/.test(line));

  test("holds on a new database", async () => {
    assert.deepEqual(ownership(await findingsOf(opened.url)), []);
    assert.equal(await refusalOf(opened.url, { isDurable: opened.hasUsers }), undefined);
  });

  for (const [what, breaks, mends, says] of [
    [
      "tables that a crash empties",
      "alter table maintenance_log set unlogged",
      "alter table maintenance_log set logged",
      "durability: the database can lose what it has acknowledged (table maintenance_log is not logged): alter table … set logged",
    ],
    [
      "a trigger that is off",
      "alter table asset disable trigger asset_never_deleted",
      "alter table asset enable always trigger asset_never_deleted",
      "protection: trigger asset_never_deleted on asset is not as migrate made it: run migrate, which puts back what it can",
    ],
    [
      "a freeze that is gone",
      `create function refuse_schema_change() returns event_trigger language plpgsql as $$ begin end $$`,
      "drop function refuse_schema_change()",
      "freeze: sql/freeze_schema.sql was run, and its freeze is not in force: a superuser may enable it: alter event trigger schema_frozen enable always",
    ],
    [
      "temporary tables for everybody",
      `do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$`,
      `do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$`,
      "needless rights: every role of this server may make temporary tables: revoke temporary on database NAME from public",
    ],
    [
      "a database with few connections",
      `do $$ begin execute format('alter database %I connection limit 11', current_database()); end $$`,
      `do $$ begin execute format('alter database %I connection limit -1', current_database()); end $$`,
      "connections: database NAME may have 11 connections, and a service needs 12: raise its connection limit, or requests get 503",
    ],
    [
      "a sequence that was set back",
      `insert into trail_acceptance (reason, refused, accepted) values ('A', 'none', 'none'), ('B', 'none', 'none');
       select setval('trail_acceptance_id_seq', 2, false)`,
      "select setval('trail_acceptance_id_seq', 2)",
      "sequences: the sequence of trail_acceptance issues ids that are taken: the owner of the tables has to run select setval('trail_acceptance_id_seq', 2)",
    ],
  ] as const) {
    test(`is named when it is broken: ${what}`, async t => {
      if (!opened.hasUsers && /connection limit|unlogged/.test(breaks))
        return t.skip("not in the embedded database");
      await admin.unsafe(breaks);
      const found = ownership(await findingsOf(opened.url));
      await admin.unsafe(mends);
      assert.equal(found[0], says.replace("NAME", name));
      assert.deepEqual(ownership(await findingsOf(opened.url)), []);
    });
  }

  test("is named when it is broken: every table that is empty, though the trail has entries of its records", async () => {
    await admin.unsafe(`
      insert into trail_entry (index, record_id, kind, hash)
      select row_number() over () - 1, 1, kind, sha256('x') from unnest(enum_range(null::trail_kind)) kind`);
    const found = await findingsOf(opened.url);
    await admin.unsafe(`
      alter table trail_entry disable trigger all; delete from trail_entry;
      alter table trail_entry enable always trigger append_only`);
    const says =
      /^records: the table (\w+) is empty, though the trail has entries of its records: restore a backup, or go back to the database that has the records$/;
    const emptied = found.flatMap(line => says.exec(line)?.[1] ?? []);
    assert.deepEqual(emptied.sort(), [
      "asset",
      "asset_event",
      "employee",
      "employee_event",
      "maintenance_log",
    ]);
  });

  test("is not asked for readiness where it keeps nobody from serving", async () => {
    const { database, sent } = recording(opened.connect(probeLimits));
    const texts = async (asks?: typeof keepsFromServing) => {
      await examine(database, schema, durable, asks);
      return sent.splice(0).map(({ text }) => text);
    };
    const isOfNewest = (text: string) => text.includes("the newest ");
    assert.equal((await texts()).some(isOfNewest), true);
    const asked = await texts(keepsFromServing);
    assert.deepEqual([asked.some(isOfNewest), asked.join().includes("needs no right")], [false, false]);
    assert.equal(asked.join().includes("is empty, though the trail has entries"), true);
  });

  test("is named when it is broken: the newest records, that are gone, changed, or have none", async () => {
    await admin.unsafe("insert into asset (name, description) values ('Pump', ''), ('Lamp', '')");
    const { ledger, records } = makeRepositories(opened.connect(probeLimits)).trail;
    await ledger.number(endAt(0), allIds, 10);
    assert.deepEqual(await records.newestFaults(), []);
    await admin.unsafe("alter table asset_event disable trigger append_only");
    for (const [tampering, faults] of [
      [
        "update asset_event set active = false where id = 2",
        ["the newest asset record in the trail, 2, was changed"],
      ],
      ["update asset_event set active = true where id = 2", []],
      ["update asset_event set active = false where id = 1", []],
      [
        "delete from asset_event where id = 2",
        ["the newest asset record in the trail, 2, is gone", "asset 2 has no record"],
      ],
      [
        `alter table employee disable trigger employee_created;
         insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
           values ('Eve', 'Hill', '123456', 'e@b.cd', 'e@b.cd', 'ADMIN', 'x');
         alter table employee enable always trigger employee_created`,
        [
          "the newest asset record in the trail, 2, is gone",
          "employee 1 has no record",
          "asset 2 has no record",
        ],
      ],
    ] as const) {
      await admin.unsafe(tampering);
      assert.deepEqual(await records.newestFaults(), faults, tampering);
    }
    await admin.unsafe("alter table asset_event enable always trigger append_only");
    const remedy = ": run verify --database, which names all such records";
    assert.deepEqual(ownership(await findingsOf(opened.url)), [
      `newest records: the newest asset record in the trail, 2, is gone${remedy}`,
      `newest records: employee 1 has no record${remedy}`,
      `newest records: asset 2 has no record${remedy}`,
    ]);
  });
});

describe("what each new connection is asked", () => {
  test("is what a crash of this server can lose, in which schemas the tables are, and how the session works", async t => {
    const binaries = findPostgresBinaries();
    if (binaries === undefined) return t.skip("this machine has no PostgreSQL binaries");
    const server = await startNativePostgres(binaries);
    const admin = postgres(server.url, { max: 1, onnotice: () => {} });
    t.after(async () => {
      await admin.end({ timeout: 1 });
      await server.stop();
    });
    const change = async (setting: string, to: string) => {
      await admin.unsafe(`alter system set ${setting} = ${to}`);
      await admin`select pg_reload_conf()`;
      const shown = async () => (await admin.unsafe(`show ${setting}`))[0];
      const wanted = to === "''" ? '""' : to.replaceAll("'", "");
      await until(async () => Object.values((await shown()) ?? {})[0] === wanted);
    };
    const lossy = (what: string) =>
      `the database can lose what it has acknowledged (${what}): see DATABASE_DURABILITY`;
    const reset = "reset it for the role and the database";
    for (const [setting, bad, good, use, says] of [
      ["fsync", "off", "on", durable, lossy("fsync off")],
      ["full_page_writes", "off", "on", durable, lossy("full_page_writes off")],
      [
        "session_replication_role",
        "replica",
        "origin",
        durable,
        `session_replication_role is replica, not origin: ${reset}`,
      ],
      [
        "search_path",
        "''",
        "public",
        durable,
        'search_path ("") names no schema that exists: set it for the role to the one schema of the tables',
      ],
    ] as const) {
      assert.equal(await refusalOf(server.url, use), undefined, setting);
      await change(setting, bad);
      assert.equal(await refusalOf(server.url, use), says);
      if (says.startsWith("the database can lose")) {
        assert.equal(await refusalOf(server.url, { ...use, isDurable: false }), undefined);
      }
      await change(setting, good);
    }

    const owner = connectTo(server.url, probeLimits);
    await migrate(owner, schema);
    await owner.close();
    await admin.unsafe("create schema app; create table app.schema_migration (version integer)");
    await change("search_path", "app, public");
    assert.equal(
      await refusalOf(server.url, durable),
      "search_path (app, public) has the tables of this program in 2 schemas: set it for the role to the one schema of the tables",
    );
  });
});
