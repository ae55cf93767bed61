import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { readSettings } from "../../src/config/read-settings.ts";
import { trailKeySettings } from "../../src/config/standalone-settings.ts";
import { formatSignerKey, formatVerifierKey, makeSignerKey } from "../../src/domain/trail/note.ts";
import { lookAround } from "../demo/look.ts";
import { writeDemo } from "../demo/write.ts";
import { type DataFolder, FolderInUse, openDataFolder, randomText } from "./data-folder.ts";
import { openRunDatabase, type RunDatabase } from "./database.ts";
import { introductionOf, sessionOf } from "./introduction.ts";
import { adminEmail, loginsOf } from "./logins.ts";
import { chosenPorts, refuseBusyPorts } from "./ports.ts";
import { runProgram } from "./program.ts";
import { serve } from "./service.ts";
import { stopSignal } from "./stop.ts";

/**
 * `make run`: the service on its own PostgreSQL, or on the one of DATABASE_URL, with a first ADMIN; `make demo` writes
 * records to look at, too. What must survive a restart is kept in DATA_FOLDER (.data).
 */
const isDemo = process.argv.includes("--demo");
const { env } = process;
const stop = stopSignal();

try {
  process.exitCode = await run();
} catch (error) {
  console.error(`run: ${(error as Error).message}`);
  process.exitCode = 1;
}
// Explicitly: a terminal that is gone must not keep the process.
process.exit();

async function run(): Promise<number> {
  const url = env["DATABASE_URL"] ?? env["DATABASE_URL_FILE"];
  const name = url === undefined ? "embedded" : createHash("sha256").update(url).digest("hex").slice(0, 12);
  const path = join(env["DATA_FOLDER"] ?? ".data", name);
  let folder: DataFolder;
  try {
    folder = openDataFolder(path);
  } catch (error) {
    if (!isDemo || !(error instanceof FolderInUse) || error.address === undefined) throw error;
    await writeDemo(error.address, path);
    for (const { role, email, password } of loginsOf(path)) console.log(`${role}  ${email}  ${password}`);
    const [admin] = loginsOf(path);
    if (admin !== undefined)
      console.log(`\n${sessionOf(error.address, admin)}\n\n${await lookAround(error.address, admin)}`);
    return 0;
  }
  const ports = chosenPorts(env);
  await refuseBusyPorts(ports, env, isDemo ? "demo" : "run");
  const keys = ownKeys(folder);
  const database = await openRunDatabase(env, folder.path);
  try {
    return await runOn(database, folder, { ...env, ...ports, ...database.settings, ...keys });
  } finally {
    await database.close();
  }
}

async function runOn(database: RunDatabase, folder: DataFolder, environment: NodeJS.ProcessEnv) {
  const migrated = await runProgram(["migrate"], environment, stop);
  if (migrated.code !== 0) {
    if (database.isEmbedded && !stop.aborted) {
      console.error(
        `run: the records are in ${database.place}. Move ${folder.path} away, and make run begins with an empty database`,
      );
    }
    return migrated.code;
  }
  const appointed = await appointAdmin(database, folder, environment);
  if (appointed !== 0 || stop.aborted) return appointed;
  return serve(environment, stop, async addresses => {
    folder.setAddress(addresses.api);
    if (isDemo) await writeDemo(addresses.api, folder.path);
    const logins = loginsOf(folder.path);
    const { trailKey } = readSettings(trailKeySettings, environment);
    const verifierKey = formatVerifierKey(trailKey);
    const records = database.place;
    const [admin] = logins;
    const looks = isDemo && admin !== undefined ? await lookAround(addresses.api, admin) : undefined;
    const folderPath = folder.path;
    console.log(introductionOf({ ...addresses, logins, records, folder: folderPath, verifierKey, looks }));
  });
}

/** Keys that sign must be the same on the next start. Those that are set are not touched. */
function ownKeys(folder: DataFolder): Readonly<Record<string, string>> {
  const isSet = (name: string) => env[name] !== undefined || env[`${name}_FILE`] !== undefined;
  return {
    ...(!isSet("SECRET_KEY") && { SECRET_KEY: folder.keep("secret-key", () => randomText(48)) }),
    ...(!isSet("TRAIL_KEY") && { TRAIL_KEY: folder.keep("trail-key", newTrailKey) }),
    ...(!isSet("TRAIL_STATE_FILE") && { TRAIL_STATE_FILE: join(folder.path, "trail-checkpoint") }),
  };
}

/** The password is kept if this is our own database, or if it had no ADMIN before. */
async function appointAdmin(database: RunDatabase, folder: DataFolder, environment: NodeJS.ProcessEnv) {
  const isKnown = folder.has("admin-password");
  const password =
    isKnown || database.isEmbedded ? folder.keep("admin-password", newPassword) : newPassword();
  // In our own database an ADMIN whose password has been lost gets a new one.
  const ifNone = isKnown || !database.isEmbedded ? ["--if-none"] : [];
  const { stdout, code } = await runProgram(
    ["create-admin", "--email", adminEmail, ...ifNone],
    { ...environment, ADMIN_PASSWORD: password },
    stop,
  );
  // Beside the line of its event.
  if (stdout.split("\n").some(line => line.startsWith(adminEmail)))
    folder.keep("admin-password", () => password);
  return code;
}

function newTrailKey(): string {
  return formatSignerKey(makeSignerKey("maintenance-log.example", randomBytes(32)));
}

function newPassword(): string {
  return randomText(12);
}
