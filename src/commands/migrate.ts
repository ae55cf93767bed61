import { commandLimits, connect } from "../adapters/postgres/connection/database.ts";
import { refuseOtherEncoding } from "../adapters/postgres/schema/encoding.ts";
import { migrate, readSchema } from "../adapters/postgres/schema/migrations.ts";
import { readSettings } from "../config/read-settings.ts";
import { databaseSettings } from "../config/settings.ts";
import { refuseArguments, type Surroundings } from "./command.ts";

/** `migrate`: brings the schema up to date and says what it applied. */
export async function runMigrate(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, sqlFolder, print } = surroundings;
  refuseArguments(args);
  const { databaseUrl, preparesStatements } = readSettings(databaseSettings, environment, readFile);
  const database = connect(databaseUrl, commandLimits, preparesStatements);
  try {
    await refuseOtherEncoding(database);
    const { applied, serviceRoleGranted } = await migrate(database, readSchema(sqlFolder));
    for (const name of applied) print(`applied ${name}`);
    if (applied.length === 0) print("the schema is up to date");
    if (!serviceRoleGranted) {
      print(
        "role maintenance_log_service does not exist and cannot be created by this user: no grants were made",
      );
    }
  } finally {
    await database.close();
  }
}
