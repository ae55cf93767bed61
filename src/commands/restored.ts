import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandLimits, connect } from "../adapters/postgres/connection/database.ts";
import { makeRestoreStore } from "../adapters/postgres/restore-store.ts";
import { examine, keepsFromServing, sessionCheck } from "../adapters/postgres/schema/examination.ts";
import { readSchema } from "../adapters/postgres/schema/migrations.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { findLoss, takePlace } from "../application/restoring.ts";
import { headIn } from "../application/trail/remembered.ts";
import { UnsuitableDatabase } from "../application/unsuitable-database.ts";
import { readSettings } from "../config/read-settings.ts";
import { restoreSettings } from "../config/settings.ts";
import type { Head } from "../domain/trail/checkpoint.ts";
import { faultOf, readCount } from "../domain/trail/encoding.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { openForCommand } from "./command-database.ts";
import { migrateDatabase } from "./migrate.ts";
import { readGiven, usageError } from "./options.ts";
import { verifyTrail } from "./verify-database.ts";
import { readTrustedKeys } from "./verify-input.ts";

interface Values {
  readonly key: readonly string[];
  readonly "gives-up": string | undefined;
}

const restoredName = "maintenance_being_restored";
/** Whether the server takes a name as it is (63 bytes of it), and a terminal shows it so. */
const isNameOfDatabase = (name: string): boolean => Buffer.byteLength(name) <= 63 && !/\p{C}/u.test(name);

/** More ids than a lost database has issued after the dump, beside those of signed entries, which are counted. */
const idJump = 1_000_000;

export async function runRestored(context: CommandContext, values: Values, steps: readonly string[]) {
  const [step] = steps;
  const { environment, readFile, sqlFolder, print } = context;
  if (steps.length !== 1 || (step !== "names" && step !== "prepare" && step !== "finish"))
    throw usageError("takes one STEP: names, prepare or finish");
  const text = values["gives-up"];
  const givesUp = text === undefined ? undefined : readGiven("--gives-up", () => readCount("number", text));
  const keys = values.key.length === 0 ? [] : readTrustedKeys(values.key, []).keys;
  const settings = readSettings(restoreSettings, environment, readFile);
  const { databaseUrl, ownerDatabaseUrl, databaseUse: use, trailKey: key } = settings;
  const name = ownerDatabaseUrl.database;
  if (name !== databaseUrl.database || !isNameOfDatabase(name) || name === restoredName)
    throw usageError("DATABASE_URL and OWNER_DATABASE_URL do not name one database, as the server names it");
  if (step === "names")
    return context.write([ownerDatabaseUrl.user, databaseUrl.user, name, restoredName, ""].join("\n"));

  const owner = openForCommand({ ...settings, databaseUrl: { ...ownerDatabaseUrl, database: restoredName } });
  const live = connect(ownerDatabaseUrl, commandLimits);
  const service = connect({ ...databaseUrl, database: restoredName }, commandLimits, {
    mayLoseCommits: !use.isDurable,
    check: sessionCheck(use),
  });
  try {
    const restored = makeRestoreStore(owner);
    if (step === "prepare") {
      await migrateDatabase(context, owner);
      await restored.analyze();
      const findings = await examine(service, readSchema(sqlFolder), use);
      const [fault] = findings.filter(({ promise }) => keepsFromServing(promise));
      if (fault !== undefined) throw new UnsuitableDatabase(`serve would not take the dump: ${fault.words}`);
      for (const { words } of findings) print(`warning: ${words}`);
      if (keys.length > 0) await verifyTrail(context, owner, keys);
    }
    const remembered = await readRemembered(settings.trailStateFile);
    // One that is there and cannot be asked ends the restore.
    const present = (await restored.hasDatabase(name)) ? makeRestoreStore(live) : undefined;
    const served = (await present?.hasTables()) ? present : undefined;
    if (served === undefined)
      print(`there is no database ${name} with tables: only what services remember can be compared`);
    const { log, employee, asset, entry } = await findLoss(restored, served, remembered, key);
    const total = log + employee + asset + entry;
    print(
      `lost: ${total} (${log} logs, ${employee} changes of employees, ${asset} of assets, and ${entry} signed entries of a database that is gone)`,
    );
    if (givesUp !== undefined && total > givesUp)
      throw new CommandError(
        exitCodes.failure,
        `the dump lacks ${total} records: to give them up, add --gives-up ${total}`,
      );
    if (step === "prepare") return;
    const jump = served === undefined ? idJump + entry : 0;
    if (jump > 0) print(`new ids are ${jump} above those of the dump`);
    await takePlace(restored, served, jump, remembered, key);
  } catch (error) {
    throw new CommandError(exitCodes.failure, faultOf(error));
  } finally {
    await Promise.all([owner.close(), live.close(), service.close()]);
  }
}

/** The heads in the state files of all services of this machine, which are beside this one. */
async function readRemembered(path: string | undefined): Promise<Head[]> {
  const folder = path === undefined ? "" : dirname(path);
  const files = folder === "" ? [] : readdirSync(folder).filter(name => name.endsWith(".checkpoint"));
  const heads = await Promise.all(
    files.map(async name => headIn(name, await makeStateFile(join(folder, name)).read())),
  );
  return heads.filter(head => head !== undefined);
}
