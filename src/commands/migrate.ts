import type { Database } from "../adapters/postgres/connection/database.ts";
import { migrate, readSchema, refuseTablesElsewhere } from "../adapters/postgres/schema/migrations.ts";
import { readSettings } from "../config/read-settings.ts";
import { storedTrailSettings } from "../config/settings.ts";
import { rethrowUnlessTrailError } from "../domain/trail/encoding.ts";
import type { CommandContext } from "./command.ts";
import { compareStateFile, openForCommand } from "./command-database.ts";

export async function runMigrate(context: CommandContext): Promise<void> {
  const settings = readSettings(storedTrailSettings, context.environment);
  const database = openForCommand(settings.databaseUrl);
  try {
    // Before the state file is compared: a database whose tables are not found looks like one that has lost them.
    await refuseTablesElsewhere(database);
    // A TrailError is left to the signing, which reports it.
    await compareStateFile(database, settings.trailStateFile).catch(rethrowUnlessTrailError);
    await migrateDatabase(context, database);
  } finally {
    await database.close();
  }
}

export async function migrateDatabase({ print }: CommandContext, database: Database): Promise<void> {
  const { applied, restored: putBack, serviceRoleGranted, isFrozen } = await migrate(database, readSchema());
  for (const name of applied) print(`applied ${name}`);
  for (const what of putBack) print(`put back ${what}`);
  if (isFrozen) print("the schema is frozen, and up to date");
  else if (applied.length === 0) print("the schema is up to date");
  if (!serviceRoleGranted) {
    print(
      "role maintenance_log_service does not exist and cannot be created by this user: no grants were made",
    );
  }
}
