import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { connect, probeLimits } from "../adapters/postgres/connection/database.ts";
import { readSchema, refuseOtherSchema } from "../adapters/postgres/schema/migrations.ts";
import { readRights } from "../adapters/postgres/schema/rights.ts";
import {
  isReadOnly,
  refuseLossyDatabase,
  refuseOtherEncoding,
  refuseOtherIsolation,
} from "../adapters/postgres/schema/server-settings.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { headIn } from "../application/trail/signing.ts";
import { UnsuitableDatabase } from "../application/unsuitable-database.ts";
import { misspelled } from "../config/misspelled.ts";
import { readServeSettings } from "../config/settings.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { readIdentity } from "./served-identity.ts";

/** `check`: says what `serve` would refuse on these settings, or fail at later, and changes nothing. */
export async function runCheck(context: CommandContext): Promise<void> {
  const { environment, readFile, sqlFolder, print } = context;
  const settings = readServeSettings(environment, readFile);
  const { databaseUrl, preparesStatements, durability } = settings;
  print("settings: ok");
  for (const line of misspelled(environment)) print(`warning: ${line}`);
  if (readIdentity(settings) !== undefined) print("TLS: ok");
  // A service that listens on a loopback address is most likely behind a proxy.
  if (settings.trustedProxies.length === 0 && /^(127\.|::1$|localhost$)/.test(settings.host)) {
    print("warning: TRUSTED_PROXIES is none: clients that come through a proxy all count as one address");
  }
  const database = connect(databaseUrl, probeLimits, preparesStatements);
  try {
    const faults: string[] = [];
    const pass = async (what: string, check: Promise<void>): Promise<boolean> => {
      try {
        await check;
        print(`${what}: ok`);
        return true;
      } catch (error) {
        if (!isFinding(error)) throw error;
        faults.push(error.message);
        return false;
      }
    };
    await pass("encoding", refuseOtherEncoding(database));
    await pass("isolation", refuseOtherIsolation(database));
    const isOurs = await pass("schema", refuseOtherSchema(database, readSchema(sqlFolder)));
    if (durability === "required") await pass("durability", refuseLossyDatabase(database));
    else print("durability: any will do");
    const { trailKey, trailStateFile } = settings;
    if (trailKey === undefined) print("warning: the trail is not signed: TRAIL_KEY is missing");
    else if (trailStateFile === undefined) {
      print("warning: TRAIL_STATE_FILE is missing: a restart on an older database would not be noticed");
    } else await pass("trail state file", tryStateFile(trailStateFile));
    // Rights on tables that are not there say nothing.
    if (isOurs) {
      const { role, missing, excessive, anybodyConnects } = await readRights(database);
      if (await isReadOnly(database)) faults.push("the database takes no writes: is it a standby?");
      for (const right of missing) faults.push(`role ${role} lacks the right to ${right}`);
      if (missing.length === 0) print("rights: ok");
      for (const right of excessive) print(`warning: role ${role} needs no right to ${right}`);
      const revoke = `revoke connect on database ${anybodyConnects} from public`;
      if (anybodyConnects !== undefined) print(`warning: every role of this server may connect: ${revoke}`);
    }
    if (faults.length > 0) throw new CommandError(exitCodes.failure, ...faults);
  } finally {
    await database.close();
  }
}

const insufficientPrivilege = "42501";

/** That the database cannot be asked is no finding. */
const isFinding = (error: unknown): error is Error =>
  error instanceof UnsuitableDatabase ||
  error instanceof TrailError ||
  (error as { code?: unknown }).code === insufficientPrivilege;

/** Reads it, and tries its folder: the file is replaced each time, and not written to. */
async function tryStateFile(path: string): Promise<void> {
  const { place, read } = makeStateFile(path);
  headIn(place, await read());
  await access(dirname(path), constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new TrailError(`${place} cannot be written: ${error.code}`);
  });
}
