import type { Database } from "../adapters/postgres/connection/database.ts";
import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { verifyStore } from "../application/trail/store-verification.ts";
import { storedTrailSettings } from "../config/settings.ts";
import { faultOrRethrow } from "../domain/trail/encoding.ts";
import type { VerifierKey } from "../domain/trail/note.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { withDatabase } from "./command-database.ts";

export async function verifyDatabase(context: CommandContext, keys: readonly VerifierKey[]): Promise<void> {
  await withDatabase(storedTrailSettings, context, (database, { trailStateFile }) =>
    verifyTrail(context, database, keys, trailStateFile),
  );
}

/** Reports each difference, also a state file that cannot be read, and then throws CommandError if there was one. */
export async function verifyTrail(
  { print, report }: CommandContext,
  database: Database,
  keys: readonly VerifierKey[],
  trailStateFile?: string,
): Promise<void> {
  const { trail } = makeRepositories(database);
  let differences = 0;
  const differs = async (difference: string): Promise<void> => {
    differences += 1;
    await report(difference);
  };
  const stateFile = trailStateFile === undefined ? undefined : makeStateFile(trailStateFile);
  const notes = new Map<string, string>();
  const [newest] = await trail.checkpoints.newest(1);
  for (const [place, note] of [
    ["database", newest],
    ["TRAIL_STATE_FILE", await stateFile?.read().catch((error: unknown) => differs(faultOrRethrow(error)))],
  ] as const) {
    if (note === undefined) print(`no checkpoint was read from ${place}`);
    else notes.set(place, note);
  }
  const size = await verifyStore(trail, keys, notes, differs);
  if (size > 0 && notes.size === 0) await differs("no checkpoint says which entries were signed");
  if (differences > 0) throw new CommandError(exitCodes.failure, `differences found: ${differences}`);
  print(`${size} entries: all records match, and the tree extends the checkpoints`);
}
