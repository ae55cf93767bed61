import { readdirSync, readFileSync } from "node:fs";
import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import { causeOf } from "../../../domain/error.ts";
import type { Database } from "../connection/database.ts";
import { hasState } from "../connection/sqlstate.ts";
import { script, sql } from "../connection/statement.ts";
import { type Protection, protectionFaults, putBack } from "./protection.ts";

export type Schema = ReturnType<typeof readSchema>;
type Migration = Schema["migrations"][number];

const folder = new URL("../../../../sql/", import.meta.url);

/** Reads the numbered files of sql/, in order, and the files beside them. */
export function readSchema() {
  const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
  const migrations = readdirSync(folder)
    .filter(file => /^\d{4}_\w+\.sql$/.test(file))
    .sort()
    .map(file => ({ version: Number(file.slice(0, 4)), name: file.slice(5, -4), text: read(file) }));
  const lines = read("protection.ndjson").trimEnd().split("\n");
  const all = lines.map(line => JSON.parse(line) as Protection);
  return {
    migrations,
    /** Grants to the role that `serve` logs in with; run after the migrations, every time. */
    serviceRole: read("service_role.sql"),
    /** What protects the records after the migrations. */
    protection: all.filter(({ kind }) => kind !== "right"),
    /** The rights of the service role. */
    rights: all.filter(({ kind }) => kind === "right"),
  };
}

/** Any number, as long as no other program takes the same lock on this database. */
const lock = "select pg_advisory_xact_lock(7070);";

/**
 * Applies what is missing, each migration in a transaction of its own: several statements in one simple query are
 * one transaction. The record comes first, so that of two processes at once the second one fails there and goes on. Then
 * puts back what protects the records where it is weaker than the migrations made it, by a restore for example.
 *
 * @returns the names of the migrations that were applied here; what was put back, in words; whether the service role exists and has its
 *   grants; and whether the schema is frozen (sql/freeze_schema.sql): then the grants stay as they are, and are not checked
 * @throws UnsuitableDatabase when the database has other migrations, one fails, or the schema may not be changed
 */
export async function migrate(database: Database, { migrations, serviceRole, protection }: Schema) {
  const run = (text: string) => database.query(script(`${lock} ${text}`));
  // Where the role does not exist, and the owner may not make it.
  const notGranted = (error: unknown) => {
    if (!hasState(error, "undefinedObject")) throw error;
    return false;
  };
  const applied: string[] = [];
  try {
    await run(`
      create table if not exists schema_migration (
        version integer primary key, name text not null, applied_at timestamptz not null default now())`);
    for (const { version, name, text } of await findMissing(database, migrations)) {
      try {
        await run(`insert into schema_migration (version, name) values (${version}, '${name}'); ${text}`);
        applied.push(name);
      } catch (error) {
        const missing = await findMissing(database, migrations);
        // Applied by another process meanwhile.
        if (!missing.some(other => other.version === version)) continue;
        throw new UnsuitableDatabase(`migration ${version} (${name}) failed: ${causeOf(error as Error)}`, {
          cause: error,
        });
      }
    }
    const restored = await putBack(database, protection, run);
    const serviceRoleGranted = await run(serviceRole).then(() => true, notGranted);
    return { applied, restored, serviceRoleGranted, isFrozen: false };
  } catch (error) {
    if (hasState(error, "frozenSchema")) {
      const remedy = "a superuser has to lift the freeze of the schema";
      refuseMissing(await findMissing(database, migrations), remedy);
      const [weaker] = await database.query<{ fault: string }>(protectionFaults(protection));
      if (weaker !== undefined) throw new UnsuitableDatabase(`${weaker.fault}: ${remedy}`);
      return { applied, restored: [], serviceRoleGranted: true, isFrozen: true };
    }
    if (!hasState(error, "insufficientPrivilege")) throw error;
    throw new UnsuitableDatabase(
      `${causeOf(error as Error)}: DATABASE_URL has to name the owner of the tables`,
    );
  }
}

/** Throws UnsuitableDatabase where only schemas that search_path does not name have tables of this program. */
export async function refuseTablesElsewhere({ query }: Database): Promise<void> {
  const [elsewhere] = await query<{ schemas: string }>(sql`
    select string_agg(relnamespace::regnamespace::text, ' or ' order by relnamespace::regnamespace::text) as schemas
    from pg_class where relname = 'schema_migration' and relpersistence <> 't'
    having count(*) > 0 and to_regclass('schema_migration') is null`);
  if (elsewhere === undefined) return;
  throw new UnsuitableDatabase(
    `search_path does not include the schema ${elsewhere.schemas}, which has the tables of this program: set it for the role`,
  );
}

/** Throws UnsuitableDatabase unless the database has exactly the migrations that the program knows. */
export async function refuseOtherSchema(database: Database, { migrations }: Schema): Promise<void> {
  const missing = await findMissing(database, migrations).catch(async error => {
    if (!hasState(error, "undefinedTable")) throw error;
    await refuseTablesElsewhere(database);
    // Where none is applied there is not even the table.
    return migrations;
  });
  refuseMissing(missing, "run migrate first");
}

function refuseMissing(missing: readonly Migration[], remedy: string): void {
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new UnsuitableDatabase(`the database is behind this program (missing: ${names}): ${remedy}`);
}

/** The migrations that the database lacks. Throws UnsuitableDatabase when it has some that the program does not know. */
async function findMissing({ query }: Database, migrations: readonly Migration[]) {
  const applied = await query<Pick<Migration, "version" | "name">>(
    sql`select version, name from schema_migration order by version`,
  );
  for (const { version, name } of applied) {
    const known = migrations.find(known => known.version === version);
    if (known === undefined) {
      throw new UnsuitableDatabase(
        `the database is ahead of this program (migration ${version}): run a newer one`,
      );
    }
    if (name !== known.name) {
      throw new UnsuitableDatabase(
        `the database is older than version 1.0.0 (migration ${name}): make a new one`,
      );
    }
  }
  return migrations.filter(({ version }) => !applied.some(other => other.version === version));
}
