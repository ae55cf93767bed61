import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  commandLimits,
  connect,
  type Database,
} from "../../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../../src/adapters/postgres/connection/statement.ts";
import {
  migrate,
  refuseOtherSchema,
  UnfitError,
} from "../../../../src/adapters/postgres/schema/migrations.ts";
import { openEmptyDatabase, schema, type TestDatabase } from "../../../support/database.ts";

const names = schema.migrations.map(({ name }) => name);

describe("migrations", () => {
  let opened: TestDatabase;
  let database: Database;
  before(async () => {
    opened = await openEmptyDatabase();
    database = connect(opened.url);
  });
  after(async () => {
    await database.close();
    await opened.drop();
  });

  test("are numbered without gaps", () => {
    assert.deepEqual(
      schema.migrations.map(({ version }) => version),
      names.map((_, i) => i + 1),
    );
  });

  test("a new database is behind", async () => {
    await assert.rejects(refuseOtherSchema(database, schema), {
      name: "UnfitError",
      message: `the database is behind this program (missing: ${names.join(", ")}): run migrate first`,
    });
  });

  test("a migration that fails leaves nothing of itself behind", async () => {
    const broken = {
      ...schema,
      migrations: [{ version: 1, name: "broken", text: "create table half (); select nonsense" }],
    };
    await assert.rejects(migrate(database, broken), UnfitError);
    const tables = await database.query(sql`select 1 from pg_tables where tablename = 'half'`);
    assert.equal(tables.length, 0);
    assert.equal((await database.query(sql`select version from schema_migration`)).length, 0);
  });

  test("several at once apply each migration exactly once", async () => {
    const runs = Array.from({ length: 4 }, () => connect(opened.url, commandLimits));
    const results = await Promise.all(runs.map(own => migrate(own, schema)));
    await Promise.all(runs.map(own => own.close()));
    assert.deepEqual(results.flatMap(({ applied }) => applied).sort(), [...names].sort());
    assert.ok(results.every(({ serviceRoleGranted }) => serviceRoleGranted));
    await refuseOtherSchema(database, schema);
  });

  test("again, nothing is left to apply", async () => {
    assert.deepEqual((await migrate(database, schema)).applied, []);
  });

  test("emails with a Greek sigma are folded anew, unless another employee has that email", async () => {
    const own = await openEmptyDatabase();
    const old = connect(own.url, commandLimits);
    const before = schema.migrations.findIndex(({ name }) => name === "final_sigma");
    await migrate(old, { ...schema, migrations: schema.migrations.slice(0, before) });
    for (const folded of ["νικος@a", "σας@a", "ςας@a", "μας@a", "μασ@a", "ada@a"]) {
      await old.query(sql`
        insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
        values ('Ada', 'Byron', '123456', ${folded}, ${folded}, 'TECHNICIAN', 'x')`);
    }
    await migrate(old, schema);
    const rows = await old.query<{ folded: string }>(
      sql`select email_folded as folded from employee order by id`,
    );
    await old.close();
    await own.drop();
    assert.deepEqual(
      rows.map(({ folded }) => folded),
      ["νικοσ@a", "σασ@a", "ςας@a", "μας@a", "μασ@a", "ada@a"],
    );
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
    const ahead = {
      name: "UnfitError",
      message: new RegExp(`ahead of this program \\(migration ${names.length}\\)`),
    };
    await assert.rejects(refuseOtherSchema(database, older), ahead);
    await assert.rejects(migrate(database, older), ahead);
  });
});
