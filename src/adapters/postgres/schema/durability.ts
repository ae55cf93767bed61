import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { UnfitError } from "./migrations.ts";

/** Throws UnfitError for a server on which a crash can take back a commit (PostgreSQL documentation, 20.5). */
export async function refuseLossyDatabase({ query }: Database): Promise<void> {
  // client_min_messages = error would hide that the wait for a synchronous standby was cancelled.
  const found = await query<{ setting: string }>(
    sql`
      select name || ' ' || setting as setting from pg_settings
      where (name, setting) in (
        ('fsync', 'off'), ('full_page_writes', 'off'), ('synchronous_commit', 'off'), ('client_min_messages', 'error')
      )`,
  );
  const settings = found.map(({ setting }) => setting).join(", ");
  if (settings !== "") {
    throw new UnfitError(
      `the database can lose what it has acknowledged (${settings}): see DATABASE_DURABILITY`,
    );
  }
}
