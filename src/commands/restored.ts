import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandLimits, connect } from "../adapters/postgres/connection/database.ts";
import { sql } from "../adapters/postgres/connection/statement.ts";
import { makeRestoreStore } from "../adapters/postgres/restore-store.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { compareDatabases, takePlace } from "../application/restoring.ts";
import { headIn } from "../application/trail/remembered.ts";
import { UnsuitableDatabase } from "../application/unsuitable-database.ts";
import { readSettings } from "../config/read-settings.ts";
import { restoreSettings } from "../config/settings.ts";
import type { Head } from "../domain/trail/checkpoint.ts";
import { faultOrRethrow, readCount } from "../domain/trail/encoding.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { openForCommand } from "./command-database.ts";
import { migrateDatabase } from "./migrate.ts";
import { readGiven, usageError } from "./options.ts";
import { ServedDatabase } from "./served-database.ts";
import { verifyTrail } from "./verify-database.ts";
import { readTrustedKeys } from "./verify-input.ts";

interface Values {
  readonly key: readonly string[];
  readonly "gives-up": string | undefined;
}

const restoredName = "maintenance_being_restored";
/** The server cuts a name after 63 bytes, and a terminal does not show control characters. */
const isNameOfDatabase = (name: string): boolean => Buffer.byteLength(name) <= 63 && !/\p{C}/u.test(name);

/** The least jump of ids where no live database says what it has issued; a random part is added for a dump that is restored twice. */
const leastJump = 1_000_000;

export async function runRestored(context: CommandContext, values: Values, steps: readonly string[]) {
  const [step] = steps;
  const { environment, print } = context;
  if (steps.length !== 1 || (step !== "names" && step !== "prepare" && step !== "finish"))
    throw usageError("takes one STEP: names, prepare or finish");
  const text = values["gives-up"];
  const mostLost = text === undefined ? Infinity : readGiven("--gives-up", () => readCount("number", text));
  const settings = readSettings(restoreSettings, environment);
  const { databaseUrl, ownerDatabaseUrl, trailKey } = settings;
  const name = ownerDatabaseUrl.database;
  if (name !== databaseUrl.database || !isNameOfDatabase(name) || name === restoredName)
    throw usageError(
      `DATABASE_URL and OWNER_DATABASE_URL have to name one database, in at most 63 visible bytes, and not ${restoredName}`,
    );
  if (step === "names")
    return context.write([ownerDatabaseUrl.user, databaseUrl.user, name, restoredName, ""].join("\n"));

  const restoredDatabase = openForCommand({ ...ownerDatabaseUrl, database: restoredName });
  const liveDatabase = connect(ownerDatabaseUrl, commandLimits);
  try {
    if (step === "prepare") {
      await migrateDatabase(context, restoredDatabase);
      await restoredDatabase.query(sql`analyze`);
      const service = { ...settings, databaseUrl: { ...databaseUrl, database: restoredName } };
      const served = new ServedDatabase(service);
      const [fault] = await served.examine().finally(() => served.close());
      if (fault !== undefined) throw new UnsuitableDatabase(`serve would not take the dump: ${fault.words}`);
      if (values.key.length > 0)
        await verifyTrail(context, restoredDatabase, readTrustedKeys(values.key, []).keys);
    }
    const remembered = await readRemembered(settings.trailStateFile);
    const [restored, live] = [makeRestoreStore(restoredDatabase), makeRestoreStore(liveDatabase)];
    // The catalog says whether there is a live database. If there is, an error of its connection ends the restore.
    const named = await restoredDatabase.query(sql`select from pg_database where datname = ${name}`);
    const replaced = named.length > 0 && !(await live.trail.records.isEmpty()) ? live : undefined;
    if (replaced === undefined)
      print(`there is no database ${name} with records: only what services remember can be compared`);
    const comparison = await compareDatabases(restored, replaced, remembered, trailKey);
    const { log, employee, asset, entry } = comparison.lost;
    const total = log + employee + asset + entry;
    print(
      `lost: ${total} (${log} logs, ${employee} changes of employees, ${asset} of assets, and ${entry} signed entries of a database that is gone)`,
    );
    if (total > mostLost)
      throw new CommandError(
        exitCodes.failure,
        `the dump lacks ${total} records: to give them up, add --gives-up ${total}`,
      );
    if (step === "prepare") return;
    const jump = replaced === undefined ? leastJump + randomInt(leastJump) + entry : 0;
    if (jump > 0) print(`new ids are ${jump} above those of the dump`);
    await takePlace(restored, replaced, comparison, jump, trailKey);
  } catch (error) {
    throw new CommandError(exitCodes.failure, faultOrRethrow(error));
  } finally {
    await Promise.all([restoredDatabase.close(), liveDatabase.close()]);
  }
}

/** The heads in the state files of all services of this machine, which are beside this one. */
async function readRemembered(path: string | undefined): Promise<Head[]> {
  if (path === undefined) return [];
  const files = readdirSync(dirname(path)).filter(name => name.endsWith(".checkpoint"));
  const notes = files.map(async name => headIn(name, await makeStateFile(join(dirname(path), name)).read()));
  return (await Promise.all(notes)).flatMap(head => head ?? []);
}
