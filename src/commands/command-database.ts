import { commandLimits, connect, type Database } from "../adapters/postgres/connection/database.ts";
import type { DatabaseUrl } from "../adapters/postgres/connection/database-url.ts";
import { isReported } from "../adapters/postgres/connection/link.ts";
import { refuseOtherEncoding } from "../adapters/postgres/schema/encoding.ts";
import { readSchema, refuseOtherSchema } from "../adapters/postgres/schema/migrations.ts";

/** Of the settings, how to reach the database. */
export interface Access {
  readonly databaseUrl: DatabaseUrl;
  readonly preparesStatements: boolean;
}

/**
 * Opens the database for a command and closes it afterwards.
 *
 * @throws UnfitError instead of what PostgreSQL reports, when the reason is another schema or encoding than the program's
 */
export async function withDatabase<T>(
  { databaseUrl, preparesStatements }: Access,
  sqlFolder: string,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const database = connect(databaseUrl, commandLimits, preparesStatements);
  try {
    return await use(database);
  } catch (error) {
    if (isReported(error)) {
      await refuseOtherEncoding(database);
      await refuseOtherSchema(database, readSchema(sqlFolder));
    }
    throw error;
  } finally {
    await database.close();
  }
}
