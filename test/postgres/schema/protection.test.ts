import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commandLimits } from "../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { migrate, readSchema } from "../../../src/adapters/postgres/schema/migrations.ts";
import { protectionFaults } from "../../../src/adapters/postgres/schema/protection.ts";
import { openEmptyDatabase } from "../../support/database.ts";
import { assertGolden } from "../../support/golden.ts";
import { shared } from "../../support/left-open.ts";
import { protectionText } from "../../support/present-protection.ts";
import { until } from "../../support/until.ts";

/** The first test may have written the file. */

describe("what protects the records", async () => {
  const opened = await shared(openEmptyDatabase());
  // The first connection of all finds no tables yet. What the migrations make is compared: nothing is put back from the file.
  const first = opened.connect(commandLimits);
  await migrate(first, { ...readSchema(), protection: [] });
  await first.close();
  const database = opened.connect(commandLimits);
  const owner = opened.session();

  const faults = async () =>
    (await database.query<{ fault: string }>(protectionFaults(readSchema().protection))).map(
      ({ fault }) => fault,
    );

  test("is after the migrations as sql/protection.ndjson has it, on every version of PostgreSQL", async () => {
    assertGolden("sql/protection.ndjson", await protectionText(database));
    assert.deepEqual(await faults(), []);
  });

  for (const [what, weaken, named, restored = named] of [
    [
      "triggers that a restore has enabled anew",
      "alter table maintenance_log disable trigger all; alter table maintenance_log enable trigger all",
      "trigger append_only on maintenance_log",
    ],
    ["a trigger that is gone", "drop trigger asset_created on asset", "trigger asset_created on asset"],
    [
      "a trigger of another function",
      `create or replace trigger employee_created after insert on employee for each row execute function take_caller();
       alter table employee enable always trigger employee_created`,
      "trigger employee_created on employee",
    ],
    [
      "a function that does nothing",
      "create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$",
      "function refuse_change",
    ],
    [
      "a constraint that is gone",
      "alter table maintenance_log drop constraint maintenance_log_comment_check",
      "constraint maintenance_log_comment_check on maintenance_log",
    ],
    [
      "a foreign key that is gone",
      "alter table maintenance_log drop constraint maintenance_log_asset_id_fkey",
      "constraint maintenance_log_asset_id_fkey on maintenance_log",
    ],
    [
      "a foreign key whose triggers are off",
      `do $$ declare trigger name; begin
         for trigger in select tgname from pg_trigger join pg_constraint on pg_constraint.oid = tgconstraint
           where conname = 'maintenance_log_asset_id_fkey' and tgrelid = 'maintenance_log'::regclass loop
           execute format('alter table maintenance_log disable trigger %I', trigger);
         end loop;
       end $$`,
      "constraint maintenance_log_asset_id_fkey on maintenance_log",
    ],
    [
      "a constraint that counts for new rows only",
      `alter table asset drop constraint asset_name_check;
       alter table asset add constraint asset_name_check check (char_length(name) between 1 and 100) not valid`,
      "constraint asset_name_check on asset",
    ],
    [
      "an index that lets a key be used twice",
      "drop index maintenance_log_idempotency_key",
      "index maintenance_log_idempotency_key on maintenance_log",
    ],
    [
      "a sequence whose sessions take ids in advance",
      "alter sequence maintenance_log_id_seq cache 50",
      "sequence maintenance_log_id_seq",
    ],
  ] as const) {
    test(`is found weaker, and put back by migrate: ${what}`, async () => {
      await owner.unsafe(weaken);
      const found = await faults();
      assert.deepEqual(
        found.map(fault => fault.replace(/ is (missing|not as migrate made it)$/, "")),
        [named],
      );
      assert.deepEqual((await migrate(database, readSchema())).restored, [restored]);
      assert.deepEqual(await faults(), []);
    });
  }

  test("is put back by each of two migrates at once, of which neither fails", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
    await owner.unsafe(`
      create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$;
      alter table maintenance_log drop constraint maintenance_log_asset_id_fkey`);
    const both = await owner.begin(async held => {
      // Nobody changes a function: both have found it weaker before one of them can put anything back.
      await held`lock table pg_proc in share mode`;
      const both = [0, 1].map(() => migrate(opened.connect(commandLimits), readSchema()));
      await until(async () => {
        const waiting = await database.query(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
        return waiting.length === both.length;
      });
      // Not a promise, for which the transaction would wait.
      return { results: Promise.all(both) };
    });
    const weaker = ["function refuse_change", "constraint maintenance_log_asset_id_fkey on maintenance_log"];
    const restored = (await both.results).map(({ restored }) => restored);
    assert.ok(restored.some(found => found.length > 0));
    // The second one may have waited for the first before it looked.
    for (const found of restored) assert.deepEqual(found, found.length > 0 ? weaker : []);
    assert.deepEqual(await faults(), []);
  });

  for (const [what, weaken] of [
    ["a key that is gone", "alter table asset drop constraint asset_pkey cascade"],
    [
      "a key to which foreign keys refer",
      `alter table asset drop constraint asset_pkey cascade;
       alter table asset add constraint asset_pkey primary key (id) include (name);
       alter table asset_event add constraint asset_event_asset_id_fkey foreign key (asset_id) references asset;
       alter table maintenance_log add constraint maintenance_log_asset_id_fkey foreign key (asset_id) references asset`,
    ],
  ] as const) {
    test(`is put back by one migrate, with all that refers to it: ${what}`, async () => {
      await owner.unsafe(weaken);
      assert.deepEqual((await migrate(database, readSchema())).restored.toSorted(), [
        "constraint asset_event_asset_id_fkey on asset_event",
        "constraint asset_pkey on asset",
        "constraint maintenance_log_asset_id_fkey on maintenance_log",
      ]);
      assert.deepEqual(await faults(), []);
    });
  }

  for (const [what, weaken, named, mend] of [
    [
      "a column that may be null",
      "alter table maintenance_log alter comment drop not null",
      "column comment on maintenance_log",
      "alter table maintenance_log alter comment set not null",
    ],
    [
      "a time that the database no longer gives",
      "alter table maintenance_log alter recorded_at drop default",
      "column recorded_at on maintenance_log",
      "alter table maintenance_log alter recorded_at set default now()",
    ],
    [
      "a word that a status had",
      "alter type log_status rename value 'CANCELLED' to 'DROPPED'",
      "column status on maintenance_log",
      "alter type log_status rename value 'DROPPED' to 'CANCELLED'",
    ],
    [
      "policies that hide rows",
      "alter table asset enable row level security",
      "table asset",
      "alter table asset disable row level security",
    ],
    [
      "a rule that swallows rows",
      "create rule swallow as on insert to asset do instead nothing",
      "table asset",
      "drop rule swallow on asset",
    ],
  ] as const) {
    test(`is found weaker, and left to the operator: ${what}`, async () => {
      await owner.unsafe(weaken);
      assert.deepEqual(await faults(), [`${named} is not as migrate made it`]);
      assert.deepEqual((await migrate(database, readSchema())).restored, []);
      await owner.unsafe(mend);
      assert.deepEqual(await faults(), []);
    });
  }
});
