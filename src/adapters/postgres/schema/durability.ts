import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

/** The PostgreSQL may lose what it has acknowledged. */
export class DurabilityError extends Error {
  override readonly name = "DurabilityError";
}

/** Throws DurabilityError for a server on which a crash can take back a commit (PostgreSQL documentation, 20.5). */
export async function refuseLossyDatabase({ query }: Database): Promise<void> {
  const [settings] = await query<Record<string, string>>(
    sql`
      select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
        current_setting('synchronous_commit') as synchronous_commit`,
  );
  const off = Object.entries(settings ?? {}).flatMap(([name, value]) => (value === "off" ? [name] : []));
  if (off.length > 0) {
    throw new DurabilityError(
      `the database can lose what it has acknowledged (${off.join(", ")} off): see DATABASE_DURABILITY`,
    );
  }
}
