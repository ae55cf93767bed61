import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { commandLimits, type Database } from "../../../src/adapters/postgres/connection/database.ts";
import { script, sql } from "../../../src/adapters/postgres/connection/statement.ts";
import { makeRepositories } from "../../../src/adapters/postgres/repositories/repositories.ts";
import { migrate, refuseOtherSchema, type Schema } from "../../../src/adapters/postgres/schema/migrations.ts";
import { UnsuitableDatabase } from "../../../src/application/unsuitable-database.ts";
import { openEmptyDatabase, schema } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";

const names = schema.migrations.map(({ name }) => name);

/** SHA-256 of the migrations that are released: databases have them, so their text never changes. A new one gets its line here. */
const released = [
  "fc494e5f64c3f7241a8d7f97b788ce19c5722b6a0533f067db78e0e45b9fc930",
  "3fae8bce9aeae6e2e47a9690e1790a19082fef72706079dc912fc7fa646c5443",
  "0f26c4f3623f690604cbb7cdb7c27a2e51d49e2130d30daffe94797a1cf0ab1c",
  "81a3b75269d11d7d75ebb60f5d1f9ff92e5a88faa30cc682bd620f20d7087f6d",
  "ef22f5a1a394f1a929285c2cd03e47fcd28cba46590d99a8616887f9cc8efe58",
];

/** What both commands say of a database that does not fit the program. */
async function assertRefused(owner: Database, wanted: Schema, message: string): Promise<void> {
  for (const command of [refuseOtherSchema, migrate])
    await assert.rejects(command(owner, wanted), { name: "UnsuitableDatabase", message });
}

describe("migrations", async () => {
  const opened = await shared(openEmptyDatabase());
  const database = opened.connect();

  test("are numbered without gaps", () => {
    assert.deepEqual(
      schema.migrations.map(({ version }) => version),
      names.map((_, i) => i + 1),
    );
  });

  test("are in the changelog", () =>
    assert.match(
      readFileSync("CHANGELOG.md", "utf8"),
      RegExp(`\\b${String(names.length).padStart(4, "0")}\\b`),
    ));

  test("have the text with which they were released", () => {
    assert.deepEqual(
      schema.migrations.map(({ text }) => createHash("sha256").update(text).digest("hex")),
      released,
    );
  });

  test("an upgrade keeps what the first version has recorded, unsigned acceptances too", async () => {
    await using own = await openEmptyDatabase();
    const owner = own.connect(commandLimits);
    const first = { ...schema, migrations: schema.migrations.slice(0, 4), protection: [], serviceRole: "" };
    await migrate(owner, first);
    await owner.query(
      script(`
        insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
        values ('Ada', 'Lovelace', '000000', 'ada@example.com', 'ada@example.com', 'ADMIN', 'x');
        insert into asset (name, description) values ('Pump', '');
        insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
        select '2026-01-01', 'COMPLETED', 'MAINTENANCE', 'oiled', asset.id, employee.id from asset, employee;
        insert into trail_acceptance (reason, refused, accepted) values ('restored', '7 BwA=', '3 AwA=')`),
    );
    const rows = () =>
      owner.query(sql`
        select (select json_agg(maintenance_log) from maintenance_log)::text as logs,
          (select json_agg(employee) from employee)::text as employees, (select json_strip_nulls(json_agg(asset)) from asset)::text as assets,
          (select concat_ws(' ', id, reason, refused, accepted) from trail_acceptance) as accepted`);
    const before = await rows();
    assert.deepEqual((await migrate(owner, schema)).applied, names.slice(4));
    assert.deepEqual(await rows(), before);
    assert.deepEqual(await makeRepositories(owner).trail.checkpoints.acceptancesWith("7 BwA="), []);
  });

  test("a migration that fails leaves nothing of itself behind", async () => {
    const broken = {
      ...schema,
      migrations: [{ version: 1, name: "broken", text: "create table half (); select nonsense" }],
    };
    await assert.rejects(migrate(database, broken), UnsuitableDatabase);
    const tables = await database.query(sql`select 1 from pg_tables where tablename = 'half'`);
    assert.equal(tables.length, 0);
    assert.equal((await database.query(sql`select version from schema_migration`)).length, 0);
  });

  test("several at once apply each migration exactly once", async () => {
    const runs = Array.from({ length: 4 }, () => opened.connect(commandLimits));
    const results = await Promise.all(runs.map(own => migrate(own, schema)));
    assert.deepEqual(results.flatMap(({ applied }) => applied).sort(), [...names].sort());
    assert.ok(results.every(({ serviceRoleGranted }) => serviceRoleGranted));
    await refuseOtherSchema(database, schema);
  });

  test("no index depends on a collation of the system, which another version of it may sort otherwise", async () => {
    const named = await database.query<{ name: string }>(sql`
      select indexrelid::regclass::text as name from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = current_schema()::regnamespace and exists (
        select from unnest(indcollation) as used (id)
        where used.id not in (0, (select oid from pg_collation where collname = 'C'))
      )`);
    assert.deepEqual(
      named.map(({ name }) => name),
      [],
    );
  });

  test("a search_path without their schema is named, and not the command that would make them once more", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
    const owner = opened.connect(commandLimits);
    await owner.query(script("create schema other"));
    await owner.query(script("set search_path to other"));
    await assert.rejects(refuseOtherSchema(owner, schema), {
      name: "UnsuitableDatabase",
      message:
        "search_path does not include the schema public, which has the tables of this program: set it for the role",
    });
    await owner.query(script("drop schema other"));
  });

  test("a schema whose name needs quotation marks gets the same tables", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one session for everybody");
    await using elsewhere = await openEmptyDatabase();
    const owner = elsewhere.connect(commandLimits);
    await owner.query(script(`create schema "Log of 2026"; set search_path to "Log of 2026"`));
    assert.deepEqual((await migrate(owner, schema)).applied, names);
    await refuseOtherSchema(owner, schema);
  });

  test("again, nothing is left to apply", async () => {
    assert.deepEqual((await migrate(database, schema)).applied, []);
  });

  test("a database that lacks one migration only is behind", async () => {
    const next = { version: names.length + 1, name: "next", text: "select 1" };
    await assert.rejects(
      refuseOtherSchema(database, { ...schema, migrations: [...schema.migrations, next] }),
      /the database is behind this program \(missing: next\): run migrate first/,
    );
  });

  test("a database ahead of the program is refused by both commands", async () => {
    const older = { ...schema, migrations: schema.migrations.slice(0, -1) };
    const message = `the database is ahead of this program (migration ${names.length}): run a newer one`;
    await assertRefused(database, older, message);
  });

  test("a database from before the first release is refused by both commands", async () => {
    const renamed = schema.migrations.map(migration => ({ ...migration, name: `new_${migration.name}` }));
    const message = `the database is older than version 1.0.0 (migration ${names[0]}): make a new one`;
    // It had more migrations, too.
    await assertRefused(database, { ...schema, migrations: renamed.slice(0, 2) }, message);
  });

  test("an owner who may not revoke large objects from everybody still revokes temporary tables", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database has one user for everybody");
    await using own = await openEmptyDatabase();
    const { name } = own;
    const admin = own.connect(commandLimits);
    await admin.query(
      script(`
        revoke execute on function lo_from_bytea(oid, bytea), lo_create(oid), lo_creat(integer) from public;
        create role owner_${name};
        alter database ${name} owner to owner_${name};
        set role owner_${name}`),
    );
    await migrate(admin, schema);
    const [everybody] = await admin.query(
      sql`select has_database_privilege('public', current_database(), 'temporary') as may`,
    );
    assert.deepEqual(everybody, { may: false });
    await admin.query(
      script(`reset role; reassign owned by owner_${name} to current_user; drop role owner_${name}`),
    );
  });

  // The last one, since it freezes the schema.
  test("a frozen schema is left as it is, and with a migration to apply says that it is frozen", async t => {
    if (!opened.hasUsers) return t.skip("the embedded database runs no event triggers");
    await database.query(script("alter table asset enable trigger asset_created"));
    await database.query(script(readFileSync("sql/freeze_schema.sql", "utf8")));
    await assert.rejects(migrate(database, schema), {
      name: "UnsuitableDatabase",
      message:
        "trigger asset_created on asset is not as migrate made it: a superuser has to lift the freeze of the schema",
    });
    await database.query(
      script(`
        alter event trigger schema_frozen disable;
        alter table asset enable always trigger asset_created;
        alter event trigger schema_frozen enable always`),
    );
    assert.deepEqual(await migrate(database, schema), {
      applied: [],
      restored: [],
      serviceRoleGranted: true,
      isFrozen: true,
    });
    const next = { version: names.length + 1, name: "next", text: "select 1" };
    await assert.rejects(migrate(database, { ...schema, migrations: [...schema.migrations, next] }), {
      name: "UnsuitableDatabase",
      message:
        "the database is behind this program (missing: next): a superuser has to lift the freeze of the schema",
    });
  });
});
