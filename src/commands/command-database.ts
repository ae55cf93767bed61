import { makeJsonEventLog } from "../adapters/json-event-log.ts";
import { commandLimits, connect, type Database } from "../adapters/postgres/connection/database.ts";
import type { DatabaseUrl } from "../adapters/postgres/connection/database-url.ts";
import { isReported } from "../adapters/postgres/connection/driver.ts";
import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import { sessionCheck } from "../adapters/postgres/schema/examination.ts";
import { readSchema, refuseOtherSchema } from "../adapters/postgres/schema/migrations.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import type { EventLog } from "../application/clock-and-log.ts";
import { requireRemembered } from "../application/trail/remembered.ts";
import { type Declared, readSettings } from "../config/read-settings.ts";
import type { VerifierKey } from "../domain/trail/note.ts";
import type { CommandContext } from "./command.ts";

/** Compares the trail with TRAIL_STATE_FILE, if there is one. Throws TrailError, and UnsuitableDatabase for a database without records. */
export async function compareStateFile(
  database: Database,
  path: string | undefined,
  acceptanceKey?: VerifierKey,
): Promise<void> {
  if (path === undefined) return;
  const ports = { ...makeRepositories(database).trail, stateFile: makeStateFile(path) };
  await requireRemembered(ports, acceptanceKey && [acceptanceKey]);
}

/** Writes events to standard output, as the log of a service has them. */
export const eventsOf = (context: CommandContext): EventLog =>
  makeJsonEventLog("info", systemClock, line => context.print(line.trimEnd()));

/** Checks of a connection what `serve` does, but not the durability. */
export const openForCommand = (url: DatabaseUrl): Database =>
  connect(url, commandLimits, { check: sessionCheck({ isDurable: false }) });

/**
 * Reads the settings of a command, and opens the database, which is closed afterwards.
 *
 * @throws UnsuitableDatabase instead of what PostgreSQL reports, when the schema is not that of the program
 */
export async function withDatabase<S extends { readonly databaseUrl: DatabaseUrl }>(
  declared: Declared<S>,
  { environment }: CommandContext,
  use: (database: Database, settings: S) => Promise<void>,
): Promise<void> {
  const settings = readSettings(declared, environment);
  const database = openForCommand(settings.databaseUrl);
  try {
    await use(database, settings);
  } catch (error) {
    if (isReported(error)) await refuseOtherSchema(database, readSchema());
    throw error;
  } finally {
    await database.close();
  }
}
