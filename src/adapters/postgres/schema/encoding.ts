import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { UnfitError } from "./migrations.ts";

/**
 * Throws UnfitError for a database in another encoding than UTF8: LATIN1 cannot store every character, and SQL_ASCII
 * counts bytes where a length is meant in characters.
 */
export async function refuseOtherEncoding({ query }: Database): Promise<void> {
  const [row] = await query<{ encoding: string }>(sql`select current_setting('server_encoding') as encoding`);
  if (row?.encoding === "UTF8") return;
  throw new UnfitError(
    `the encoding of the database is ${row?.encoding}, not UTF8: create it with encoding 'UTF8' template template0`,
  );
}
