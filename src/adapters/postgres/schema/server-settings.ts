import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

/**
 * Throws UnsuitableDatabase for a database in another encoding than UTF8: LATIN1 cannot store every character, and
 * SQL_ASCII counts bytes where a length is meant in characters.
 */
export async function refuseOtherEncoding(database: Database): Promise<void> {
  const encoding = await read(database, "server_encoding");
  if (encoding === "UTF8") return;
  throw new UnsuitableDatabase(
    `the encoding of the database is ${encoding}, not UTF8: create it with encoding 'UTF8' template template0`,
  );
}

/** Throws UnsuitableDatabase where PostgreSQL would roll back statements because of others that run at the same time. */
export async function refuseOtherIsolation(database: Database): Promise<void> {
  const isolation = await read(database, "default_transaction_isolation");
  // PostgreSQL treats read uncommitted as read committed.
  if (isolation.startsWith("read ")) return;
  throw new UnsuitableDatabase(
    `default_transaction_isolation is ${isolation}, not read committed: reset it for the role and the database`,
  );
}

/** Throws UnsuitableDatabase for a server on which a crash can take back a commit (PostgreSQL documentation, 20.5). */
export async function refuseLossyDatabase(database: Database): Promise<void> {
  const lossy: string[] = [];
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
    if ((await read(database, name)) === "off") lossy.push(`${name} off`);
  }
  // It would hide that the wait for a synchronous standby was cancelled.
  if ((await read(database, "client_min_messages")) === "error") lossy.push("client_min_messages error");
  if (lossy.length === 0) return;
  throw new UnsuitableDatabase(
    `the database can lose what it has acknowledged (${lossy.join(", ")}): see DATABASE_DURABILITY`,
  );
}

/** Whether writes are refused to everybody here: a standby, or a server that was set so. */
export const isReadOnly = async (database: Database): Promise<boolean> =>
  (await read(database, "transaction_read_only")) === "on";

async function read({ query }: Database, name: string): Promise<string> {
  const [row] = await query<{ setting: string }>(sql`select current_setting(${name}) as setting`);
  return row?.setting ?? "";
}
