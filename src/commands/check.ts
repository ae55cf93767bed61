import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { connect, type Database, probeLimits } from "../adapters/postgres/connection/database.ts";
import { hasState } from "../adapters/postgres/connection/sqlstate.ts";
import { sql } from "../adapters/postgres/connection/statement.ts";
import {
  examine,
  examineRecords,
  type Finding,
  refuseToStart,
  sessionCheck,
} from "../adapters/postgres/schema/examination.ts";
import { readSchema } from "../adapters/postgres/schema/migrations.ts";
import { ofCatalogs, ofConnections, ofTables, promisesFor } from "../adapters/postgres/schema/promises.ts";
import { UnsuitableDatabase } from "../application/unsuitable-database.ts";
import { readServeSettings, storedTrailSettings } from "../config/settings.ts";
import { faultOrRethrow, TrailError } from "../domain/trail/encoding.ts";
import type { VerifierKey } from "../domain/trail/note.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { compareStateFile, withDatabase } from "./command-database.ts";
import { readIdentity } from "./served-identity.ts";

export async function runCheck(context: CommandContext, { records }: { records: boolean }): Promise<void> {
  if (records) return checkRecords(context);
  const { environment, print } = context;
  const settings = readServeSettings(environment);
  const { databaseUrl, databaseUse: use } = settings;
  print("settings: ok");
  if (readIdentity(settings) !== undefined) print("TLS: ok");
  // A service that listens on a loopback address is most likely behind a proxy.
  if (settings.trustedProxies.length === 0 && /^(127\.|::1$|localhost$)/.test(settings.host))
    print("warning: TRUSTED_PROXIES is none: clients that come through a proxy all count as one address");
  const sessionFindings: Finding[] = [];
  const database = connect(databaseUrl, probeLimits, {
    mayLoseCommits: !use.isDurable,
    check: sessionCheck(use, found => void sessionFindings.push(...found)),
  });
  const faults: string[] = [];
  /** Prints that a part is in order, or keeps the fault that was thrown, and returns undefined. */
  const attempt = async <T>(name: string, work: Promise<T>): Promise<T | undefined> => {
    try {
      const result = await work;
      print(`${name}: ok`);
      return result;
    } catch (error) {
      if (!isFault(error)) throw error;
      faults.push(error.message);
      return undefined;
    }
  };
  try {
    const schema = readSchema();
    const schemaFindings = await attempt("schema", examine(database, schema, use));
    // Opens a second connection: `refuseLent` throws UnsuitableDatabase where a pooler gives it the session of the first.
    const second = connect(databaseUrl, probeLimits);
    await second.query(sql`select 1`).finally(second.close);
    const findings = [...sessionFindings, ...(schemaFindings ?? [])];
    const broken = new Set(findings.map(({ promise }) => promise.name));
    // What `examine` has asked: where a right is missing, the catalogs alone.
    const ofRows = broken.has("rights") ? [] : ofTables;
    const ofDatabase = schemaFindings === undefined ? [] : [...ofCatalogs(schema), ...ofRows];
    const asked = promisesFor(use, [...ofConnections, ...ofDatabase]);
    for (const name of new Set(asked.map(({ name }) => name))) if (!broken.has(name)) print(`${name}: ok`);
    if (!use.isDurable) print("durability: any will do");
    faults.unshift(
      ...findings.filter(({ promise }) => promise.prevents !== "nothing").map(({ words }) => words),
    );
    for (const { promise, words } of findings) if (promise.prevents === "nothing") print(`warning: ${words}`);
    if (databaseUrl.servers.length > 1 && !databaseUrl.needsWrites) {
      print(
        "warning: DATABASE_URL names several hosts without target_session_attrs=read-write: a standby takes no writes",
      );
    }
    const { trailKey, trailStateFile } = settings;
    if (trailKey === undefined) print("warning: the trail is not signed: TRAIL_KEY is missing");
    else if (trailStateFile === undefined) {
      print("warning: TRAIL_STATE_FILE is missing: a restart on an older database would not be noticed");
    }
    if (trailStateFile !== undefined)
      await attempt("trail state file", tryStateFile(trailStateFile, database, trailKey));
    if (faults.length > 0) throw new CommandError(exitCodes.failure, ...faults);
  } finally {
    await database.close();
  }
}

/**
 * `check --records`: run before a backup, so that a database that has lost records does not replace good backups.
 *
 * @throws UnsuitableDatabase where the database is to be restored, and CommandError with the code 65 where only some records may be missing
 */
async function checkRecords(context: CommandContext): Promise<void> {
  await withDatabase(storedTrailSettings, context, async (database, { trailStateFile }) => {
    const findings = await examineRecords(database);
    refuseToStart(findings);
    const faults = findings.map(({ words }) => words);
    await compareStateFile(database, trailStateFile).catch(error => void faults.push(faultOrRethrow(error)));
    if (faults.length > 0) throw new CommandError(exitCodes.badData, ...faults);
  });
  context.print("records: ok");
}

/** A database that cannot be reached is no finding. */
const isFault = (error: unknown): error is Error =>
  error instanceof UnsuitableDatabase ||
  error instanceof TrailError ||
  hasState(error, "insufficientPrivilege");

/** Compares it with the database, and tries its folder: the file is replaced each time, and not written to. */
async function tryStateFile(path: string, database: Database, key?: VerifierKey): Promise<void> {
  await compareStateFile(database, path, key);
  await access(dirname(path), constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new TrailError(`TRAIL_STATE_FILE cannot be written: ${error.code}`);
  });
}
