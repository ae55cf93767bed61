import { commandLimits, connect, type Database } from "../adapters/postgres/connection/database.ts";
import type { DatabaseUrl } from "../adapters/postgres/connection/database-url.ts";
import { isReported } from "../adapters/postgres/connection/link.ts";
import { readSchema, refuseOtherSchema } from "../adapters/postgres/schema/migrations.ts";
import { refuseOtherEncoding } from "../adapters/postgres/schema/server-settings.ts";
import { type Declared, readSettings } from "../config/read-settings.ts";
import type { CommandContext } from "./command.ts";

/** Of the settings, how to reach the database. */
export interface Access {
  readonly databaseUrl: DatabaseUrl;
  readonly preparesStatements: boolean;
}

/**
 * Reads the settings of a command, and opens the database, which is closed afterwards.
 *
 * @throws UnsuitableDatabase instead of what PostgreSQL reports, when the reason is another schema or encoding than the program's
 */
export async function withDatabase<S extends Access>(
  declared: Declared<S>,
  { environment, readFile, sqlFolder }: CommandContext,
  use: (database: Database, settings: S) => Promise<void>,
): Promise<void> {
  const settings = readSettings(declared, environment, readFile);
  const database = connect(settings.databaseUrl, commandLimits, settings.preparesStatements);
  try {
    await use(database, settings);
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
