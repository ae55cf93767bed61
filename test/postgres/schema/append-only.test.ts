import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type postgres from "postgres";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";
import { stocked } from "../../support/stocked.ts";
import { aLog } from "../../support/test-records.ts";

/** What nobody may do to what has been recorded, the owner of the tables and superusers included. */
const refusedByTrigger = [
  "update maintenance_log set comment = 'changed'",
  "update maintenance_log set comment = comment where false",
  "delete from maintenance_log",
  "delete from maintenance_log where id = 1",
  "truncate maintenance_log",
  "truncate maintenance_log restart identity cascade",
  "insert into maintenance_log overriding system value select * from maintenance_log on conflict (id) do update set comment = ''",
  "delete from employee",
  "truncate employee cascade",
  "delete from asset",
  "truncate asset cascade",
  ...[
    "employee_event",
    "asset_event",
    "trail_entry",
    "trail_node",
    "trail_checkpoint",
    "trail_acceptance",
  ].flatMap(table => [
    `update ${table} set ${/entry|node/.test(table) ? "index = index" : "recorded_at = default"}`,
    `delete from ${table}`,
    `truncate ${table}`,
  ]),
];

/** What the role of `serve` may not do besides. */
const refusedToService = [
  ...refusedByTrigger,
  "update asset set name = 'changed'",
  "update employee set id = default",
  "insert into schema_migration (version, name) values (99, 'planted')",
  "delete from schema_migration",
  "alter table maintenance_log disable trigger all",
  "drop trigger append_only on maintenance_log",
  "drop table maintenance_log",
  "create table planted (id integer)",
  "insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id, recorded_at) values (now(), 'PENDING', 'ERROR', '', 1, 1, '2020-01-01')",
  "insert into asset_event (asset_id, name, description, active, recorded_at) values (1, '', '', true, '2020-01-01')",
  "alter table asset disable trigger asset_changed",
  "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
  "set session_replication_role = replica",
];

const asReplica = "set local session_replication_role = replica";
const asService = "set local role maintenance_log_service";

describe("the audit trail in the database itself", async () => {
  const database = await shared(openDatabase());
  const sql = database.session();
  const { maintenanceLogs, performer, asset } = await stocked(database.connect());
  await maintenanceLogs.append(asset.id, performer, aLog());
  // Only so that a superuser's statement below gets as far as the trigger.
  await sql.unsafe("grant create on schema public to current_user");

  const undone = new Error("undone");
  /** Does something in a transaction that is undone. */
  const attempt = (work: (transaction: postgres.TransactionSql) => Promise<unknown>) =>
    sql
      .begin(async transaction => {
        await work(transaction);
        throw undone;
      })
      .catch(error => {
        if (error !== undone) throw error;
      });
  /** The SQLSTATE of a statement; undefined when it went through. */
  const stateOf = (statement: string, ...setup: string[]): Promise<string | undefined> =>
    attempt(async transaction => {
      for (const each of [...setup, statement]) await transaction.unsafe(each);
    }).then(
      () => undefined,
      error => error.code,
    );

  for (const statement of refusedByTrigger) {
    test(`is refused to everybody, also where ordinary triggers are switched off: ${statement}`, async () => {
      assert.equal(await stateOf(statement), "23001");
      assert.equal(await stateOf(statement, asReplica), "23001");
    });
  }

  test("tokens are revoked from the next second on, also where ordinary triggers are switched off", () =>
    attempt(async transaction => {
      await transaction.unsafe(asReplica);
      const [revoked] = await transaction`
        update employee set active = false
        returning token_version, (tokens_valid_from - floor(extract(epoch from now())))::int as seconds`;
      assert.deepEqual(revoked, { token_version: 2, seconds: 1 });
    }));

  for (const statement of refusedToService) {
    test(`may not even be attempted by the service role: ${statement}`, async () => {
      assert.equal(await stateOf(statement, asService), "42501");
    });
  }

  for (const statement of [
    "insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id) select performed_date, status, task_type, comment, asset_id, performed_by_employee_id from maintenance_log",
    "select id, comment from maintenance_log",
    "update employee set active = false",
    "update asset set active = false",
    "insert into asset (name, description) values ('Pump', '')",
    "select version from schema_migration",
  ]) {
    test(`the service role may: ${statement.slice(0, 60)}`, async () => {
      assert.equal(await stateOf(statement, asService), undefined);
    });
  }

  test("records a change of an employee or an asset whoever makes it, also where triggers are switched off", async () => {
    for (const [statement, table, expected] of [
      ["update asset set active = false, asked_by = 1", "asset_event", { active: false, changed_by: "1" }],
      ["update asset set active = false", "asset_event", { active: false, changed_by: null }],
      ["update asset set name = 'Pomp'", "asset_event", { name: "Pomp", changed_by: null }],
      ["update asset set active = true", "asset_event", undefined],
      ["update asset set changed_by = 1, active = false", "asset_event", { changed_by: null }],
      [
        "update employee set role = 'ADMIN', asked_by = 1",
        "employee_event",
        { role: "ADMIN", changed_by: "1" },
      ],
      ["update employee set first_name = 'Augusta', asked_by = 1", "employee_event", undefined],
    ] as const) {
      for (const replica of [false, true]) {
        await attempt(async transaction => {
          if (replica) await transaction.unsafe(asReplica);
          const before = await transaction.unsafe(`select max(id) as id from ${table}`);
          await transaction.unsafe("update asset set asked_by = 1");
          await transaction.unsafe(statement);
          const rows = await transaction.unsafe(`select * from ${table} where id > ${before[0]?.["id"]}`);
          assert.equal(rows.length, expected === undefined ? 0 : 1, statement);
          for (const [column, value] of Object.entries(expected ?? {})) {
            assert.equal(rows[0]?.[column], value, `${statement}: ${column}`);
          }
        });
      }
    }
  });

  const sound = {
    employee: {
      first_name: "'Ada'",
      last_name: "'Byron'",
      phone: "'000 000'",
      email: "'e@f.g'",
      email_folded: "'e@f.g'",
      role: "'ADMIN'",
      password_hash: "'x'",
    },
    asset: { name: "'Pump'", description: "''" },
    maintenance_log: {
      performed_date: "now()",
      status: "'PENDING'",
      task_type: "'ERROR'",
      comment: "''",
      asset_id: "1",
      performed_by_employee_id: "1",
    },
  };
  // Bounds and words of declared properties: declared-records.test.ts.
  for (const [table, column, state, ...values] of [
    ...(["employee", "asset", "maintenance_log"] as const).flatMap(
      table =>
        [
          [table, "id", "23514", "4503599627370496", "0"],
          [table, "id", undefined, "4503599627370495"],
        ] as const,
    ),
    ["employee", "email_folded", "23505", "(select email_folded from employee limit 1)"],
    ...["email_folded", "password_hash", "token_version", "tokens_valid_from"].map(
      column => ["employee", column, "23502", "null"] as const,
    ),
    ["maintenance_log", "idempotency_key", undefined, "repeat('x', 255)", "'!~key'"],
    [
      "maintenance_log",
      "idempotency_key",
      "23514",
      "repeat('x', 256)",
      "'a key'",
      "'kéy'",
      "E'key\\n'",
      "''",
    ],
    ["maintenance_log", "performed_date", undefined, "'0001-01-01'", "'9999-12-31 23:59:59.999999'"],
    [
      "maintenance_log",
      "performed_date",
      "23514",
      ...["'infinity'", "'-infinity'", "'10000-01-01'", "'0001-01-01 BC'"],
    ],
    ["maintenance_log", "asset_id", "23503", "999"],
    ["maintenance_log", "performed_by_employee_id", "23503", "999"],
    ["maintenance_log", "performed_by_name", undefined, "repeat('é', 101)"],
    ["maintenance_log", "performed_by_name", "23514", "repeat('é', 102)"],
  ] as const) {
    test(`the database ${state === undefined ? "takes" : "refuses"} as ${column} of ${table}: ${values}`, async () => {
      for (const value of values) {
        const row = { ...sound[table], [column]: value };
        const statement = `insert into ${table} (${Object.keys(row)}) overriding system value values (${Object.values(row)})`;
        assert.equal(await stateOf(statement), state, value);
      }
    });
  }

  test("the trail takes no second entry of a record, and no index twice", async () => {
    const insert = (rows: string) => `insert into trail_entry (index, record_id, kind, hash) values ${rows}`;
    const [first, hash] = ["(0, 1, 'log', sha256('a'))", "sha256('b')"];
    assert.equal(
      await stateOf(insert(`${first}, (1, 1, 'asset', ${hash}), (2, 2, 'log', ${hash})`)),
      undefined,
    );
    assert.equal(await stateOf(insert(`${first}, (1, 1, 'log', ${hash})`)), "23505");
    assert.equal(await stateOf(insert(`${first}, (0, 2, 'log', ${hash})`)), "23505");
  });

  test("all constraints have been held against the rows that were there already", async () => {
    const open = await sql`select conname from pg_constraint where not convalidated`;
    assert.deepEqual([...open], []);
  });

  test("a frozen schema cannot be changed by anybody, so that no guard can be got around by its owner", async t => {
    if (!database.hasUsers) return t.skip("the embedded database runs no event triggers");
    const freeze = readFileSync("sql/freeze_schema.sql", "utf8");
    for (const statement of [
      "alter table maintenance_log alter column comment type text using 'forged'",
      "alter table maintenance_log disable trigger all",
      "drop trigger append_only on maintenance_log",
      "create table child () inherits (maintenance_log)",
      "create rule forged as on insert to maintenance_log do instead nothing",
      "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
      "drop table maintenance_log cascade",
      "create policy hidden on maintenance_log using (false)",
      "alter table maintenance_log enable row level security",
      "create trigger forging before insert on asset for each row execute function refuse_change()",
      "alter function refuse_change() rename to allow_change",
      "drop function refuse_change() cascade",
      "create function other() returns trigger language plpgsql as 'begin return null; end'",
      "alter table parent attach partition maintenance_log default",
    ]) {
      // PostgreSQL 17 attaches no table with an identity.
      const parent = statement.includes("attach")
        ? [
            "alter table maintenance_log alter id drop identity",
            "create table parent (like maintenance_log) partition by list (id)",
          ]
        : [];
      assert.equal(await stateOf(statement, ...parent, freeze), "55000", statement);
      assert.equal(await stateOf(statement, ...parent, freeze, asReplica), "55000", statement);
      // Which is what SECURITY.md says that the triggers alone cannot prevent.
      assert.equal(await stateOf(statement, ...parent), undefined, statement);
    }
    assert.equal(await stateOf("reindex table maintenance_log", freeze), undefined);
  });
});
