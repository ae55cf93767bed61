import { migrate, readSchema } from "../adapters/postgres/schema/migrations.ts";
import { readSettings } from "../config/read-settings.ts";
import { databaseSettings } from "../config/settings.ts";
import type { CommandContext } from "./command.ts";
import { openForCommand } from "./command-database.ts";

/** `migrate`: brings the schema up to date and says what it applied. */
export async function runMigrate(context: CommandContext): Promise<void> {
  const { environment, readFile, sqlFolder, print } = context;
  const database = openForCommand(readSettings(databaseSettings, environment, readFile));
  try {
    const { applied, restored, serviceRoleGranted, isFrozen } = await migrate(
      database,
      readSchema(sqlFolder),
    );
    for (const name of applied) print(`applied ${name}`);
    for (const what of restored) print(`put back ${what}`);
    if (isFrozen) print("the schema is frozen, and up to date");
    else if (applied.length === 0) print("the schema is up to date");
    if (!serviceRoleGranted) {
      print(
        "role maintenance_log_service does not exist and cannot be created by this user: no grants were made",
      );
    }
  } finally {
    await database.close();
  }
}
