import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../connection/database.ts";
import { script, sql } from "../connection/statement.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
}

export interface Schema {
  readonly migrations: readonly Migration[];
  /** Grants to the role that `serve` logs in with; run after the migrations, every time. */
  readonly serviceRole: string;
}

/** Reads the numbered files of a folder, in order, and the file with the grants. */
export function readSchema(folder: string): Schema {
  const migrations = readdirSync(folder)
    .map(file => ({ file, parts: /^(\d{4})_(\w+)\.sql$/.exec(file) }))
    .flatMap(({ file, parts }) =>
      parts === null
        ? []
        : [
            {
              version: Number(parts[1]),
              name: parts[2] as string,
              text: readFileSync(join(folder, file), "utf8"),
            },
          ],
    )
    .sort((a, b) => a.version - b.version);
  return { migrations, serviceRole: readFileSync(join(folder, "service_role.sql"), "utf8") };
}

/** The program cannot work on this database: it has another schema or encoding, or may lose what it has acknowledged. */
export class UnfitError extends Error {
  override readonly name = "UnfitError";
}

/** Any number, as long as no other program takes the same lock on this database. */
const lock = "select pg_advisory_xact_lock(7070);";

/**
 * Applies what is missing, each migration in a transaction of its own: several statements in one simple query are
 * one transaction. The record comes first, so that of two processes at once the second one fails there and goes on.
 *
 * @returns the names of the migrations applied here, and whether the service role exists and has its grants
 * @throws UnfitError when the database is ahead of the program, a migration fails, or the user may not change the schema
 */
export async function migrate(
  database: Database,
  schema: Schema,
): Promise<{ applied: string[]; serviceRoleGranted: boolean }> {
  try {
    return await apply(database, schema);
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error;
    throw new UnfitError(`${messageOf(error)}: DATABASE_URL has to name the owner of the tables`);
  }
}

async function apply(database: Database, { migrations, serviceRole }: Schema) {
  await run(
    database,
    `${lock} create table if not exists schema_migration (
      version integer primary key, name text not null, applied_at timestamptz not null default now())`,
  );
  const before = await appliedVersions(database);
  refuseAhead(before, migrations);
  const applied: string[] = [];
  for (const { version, name, text } of migrations) {
    if (before.includes(version)) continue;
    try {
      await run(
        database,
        `${lock} insert into schema_migration (version, name) values (${version}, '${name}'); ${text}`,
      );
      applied.push(name);
    } catch (error) {
      if ((await appliedVersions(database)).includes(version)) continue;
      throw new UnfitError(`migration ${version} (${name}) failed: ${messageOf(error)}`, { cause: error });
    }
  }
  return { applied, serviceRoleGranted: await grant(database, serviceRole) };
}

/** Throws UnfitError unless the database has exactly the migrations that the program knows. */
export async function refuseOtherSchema(database: Database, { migrations }: Schema): Promise<void> {
  const applied = await appliedVersions(database);
  refuseAhead(applied, migrations);
  const missing = migrations.filter(({ version }) => !applied.includes(version));
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(", ");
    throw new UnfitError(`the database is behind this program (missing: ${names}): run migrate first`);
  }
}

function refuseAhead(applied: readonly number[], migrations: readonly Migration[]): void {
  const unknown = applied.filter(version => !migrations.some(known => known.version === version));
  if (unknown.length > 0) {
    throw new UnfitError(
      `the database is ahead of this program (migration ${unknown.join(", ")}): run a newer one`,
    );
  }
}

const run = (database: Database, text: string) => database.query(script(text));

async function appliedVersions(database: Database): Promise<number[]> {
  try {
    const rows = await database.query<{ version: number }>(sql`select version from schema_migration`);
    return rows.map(({ version }) => version);
  } catch (error) {
    if (codeOf(error) !== undefinedTable) throw error;
    await refuseHiddenSchema(database);
    return [];
  }
}

/** PostgreSQL says of a table in a schema without the right of usage that it does not exist. */
async function refuseHiddenSchema({ query }: Database): Promise<void> {
  const [hidden] = await query<{ role: string; schema: string }>(
    sql`
      select current_user as role, n.nspname as schema
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relname = 'schema_migration' and not has_schema_privilege(n.oid, 'usage') limit 1`,
  );
  if (hidden === undefined) return;
  throw new UnfitError(`role ${hidden.role} lacks the right to usage on schema ${hidden.schema}`);
}

/** False where the role does not exist and the owner may not make it. */
async function grant(database: Database, serviceRole: string): Promise<boolean> {
  try {
    await run(database, `${lock} ${serviceRole}`);
    return true;
  } catch (error) {
    if (codeOf(error) === undefinedObject) return false;
    throw error;
  }
}

const insufficientPrivilege = "42501";
const undefinedTable = "42P01";
const undefinedObject = "42704";
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
/** What PostgreSQL says, also where the service would say only that the database is not available. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
};
