import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { UnfitError } from "./migrations.ts";

/** Throws UnfitError where PostgreSQL would roll back statements because of others that run at the same time. */
export async function refuseOtherIsolation({ query }: Database): Promise<void> {
  const setting = "default_transaction_isolation";
  const [row] = await query<{ isolation: string }>(sql`select current_setting(${setting}) as isolation`);
  // PostgreSQL treats read uncommitted as read committed.
  if (row?.isolation.startsWith("read ")) return;
  throw new UnfitError(
    `${setting} is ${row?.isolation}, not read committed: reset it for the role, the database and in DATABASE_URL`,
  );
}
