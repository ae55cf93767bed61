import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { connect, probeLimits } from "../adapters/postgres/connection/database.ts";
import { refuseLossyDatabase } from "../adapters/postgres/schema/durability.ts";
import { refuseOtherEncoding } from "../adapters/postgres/schema/encoding.ts";
import { refuseOtherIsolation } from "../adapters/postgres/schema/isolation.ts";
import { readSchema, refuseOtherSchema, UnfitError } from "../adapters/postgres/schema/migrations.ts";
import { isReadOnly, readRights } from "../adapters/postgres/schema/rights.ts";
import { makeStateFile } from "../adapters/state-file.ts";
import { rememberedHead } from "../application/trail/signing.ts";
import { readServeSettings } from "../config/settings.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { CommandError, exitCodes, refuseArguments, type Surroundings } from "./command.ts";
import { readIdentity } from "./served-identity.ts";

/** `check`: says what `serve` would refuse on these settings, or fail at later, and changes nothing. */
export async function runCheck(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, sqlFolder, print } = surroundings;
  refuseArguments(args);
  const settings = readServeSettings(environment, readFile);
  const { databaseUrl, preparesStatements, durability } = settings;
  print("settings: right");
  if (readIdentity(settings) !== undefined) print("TLS: right");
  // A service that listens on a loopback address is most likely behind a proxy.
  if (settings.trustedProxies.length === 0 && /^(127\.|::1$|localhost$)/.test(settings.host)) {
    print("warning: TRUSTED_PROXIES is none: clients that come through a proxy all count as one address");
  }
  const database = connect(databaseUrl, probeLimits, preparesStatements);
  try {
    const faults: string[] = [];
    const pass = async (what: string, faultOf: Promise<string | undefined>): Promise<boolean> => {
      const fault = await faultOf;
      if (fault === undefined) print(`${what}: right`);
      else faults.push(fault);
      return fault === undefined;
    };
    await pass("encoding", faultOf(refuseOtherEncoding(database)));
    await pass("isolation", faultOf(refuseOtherIsolation(database)));
    const isOurs = await pass("schema", faultOf(refuseOtherSchema(database, readSchema(sqlFolder))));
    if (durability === "required") await pass("durability", faultOf(refuseLossyDatabase(database)));
    else print("durability: any will do");
    const { trailKey, trailStateFile } = settings;
    if (trailKey === undefined) print("warning: the trail is not signed: TRAIL_KEY is missing");
    else if (trailStateFile === undefined) {
      print("warning: TRAIL_STATE_FILE is missing: a restart on an older database would not be noticed");
    } else await pass("trail state file", faultOfStateFile(trailStateFile));
    // Rights on tables that are not there say nothing.
    if (isOurs) {
      const { role, missing, excessive, anybodyConnects } = await readRights(database);
      if (await isReadOnly(database)) faults.push("the database takes no writes: is it a standby?");
      for (const right of missing) faults.push(`role ${role} lacks the right to ${right}`);
      if (missing.length === 0) print("rights: enough");
      for (const right of excessive) print(`warning: role ${role} needs no right to ${right}`);
      if (anybodyConnects !== undefined) {
        print(
          `warning: every role of this server may connect: revoke connect on database ${anybodyConnects} from public`,
        );
      }
    }
    if (faults.length > 0) throw new CommandError(exitCodes.failure, ...faults);
  } finally {
    await database.close();
  }
}

/** What a check finds; that the database cannot be asked is no finding. */
const faultOf = (check: Promise<void>): Promise<string | undefined> =>
  check.then(
    () => undefined,
    error => {
      if (error instanceof UnfitError || error.code === insufficientPrivilege) return error.message;
      throw error;
    },
  );

/** Reads it, and tries its folder: the file is replaced each time, and not written to. */
async function faultOfStateFile(path: string): Promise<string | undefined> {
  try {
    await rememberedHead(makeStateFile(path));
    await access(dirname(path), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if (error instanceof TrailError) return error.message;
    return `TRAIL_STATE_FILE ${path} cannot be written: ${(error as NodeJS.ErrnoException).code}`;
  }
}

const insufficientPrivilege = "42501";
