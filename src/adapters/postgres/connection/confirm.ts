import type { Database } from "./database.ts";
import { sql } from "./statement.ts";

/**
 * Resolves when what has been read is as safe as what has been written. It can be seen before a synchronous standby has it,
 * when waiting for that was cut short; the commit of a row lock waits for all that came before.
 */
export async function confirmReads({ query }: Pick<Database, "query">): Promise<void> {
  await query(sql`select id from employee order by id limit 1 for key share`);
}
