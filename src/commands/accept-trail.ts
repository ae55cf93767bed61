import { makeJsonEventLog } from "../adapters/json-event-log.ts";
import { makeTrailRepository } from "../adapters/postgres/trail/trail-repository.ts";
import { makeStateFile } from "../adapters/state-file.ts";
import { systemClock } from "../adapters/system-clock.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { acceptTrail } from "../application/trail/acceptance.ts";
import { inWords } from "../application/trail/signing.ts";
import { readSettings } from "../config/read-settings.ts";
import { acceptTrailSettings } from "../config/settings.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { makeTreeHasher } from "../domain/trail/merkle.ts";
import { CommandError, exitCodes, readOptions, type Surroundings } from "./command.ts";
import { withDatabase } from "./command-database.ts";

const longestReason = 1_000;

/** `accept-trail`: how an operator goes on after a restore that was meant. */
export async function runAcceptTrail(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, sqlFolder, print } = surroundings;
  const reason = readOptions(args, { reason: { type: "string" } }, readReason);
  const settings = readSettings(acceptTrailSettings, environment, readFile);
  const { trailKey: key, trailStateFile } = settings;
  const events = makeJsonEventLog("info", systemClock, line => print(line.trimEnd()));
  await withDatabase(settings, sqlFolder, async database => {
    const acceptance = await acceptTrail(
      {
        trail: makeTrailRepository(database),
        hasher: makeTreeHasher(trailCrypto.sha256),
        ed25519: trailCrypto,
        remembered: trailStateFile === undefined ? undefined : makeStateFile(trailStateFile),
        key,
      },
      reason,
    ).catch((error: unknown) => {
      throw error instanceof TrailError ? new CommandError(exitCodes.failure, error.message) : error;
    });
    if (acceptance === undefined) {
      print("nothing to accept: the stored trail extends what was signed");
      return;
    }
    const { refused, accepted } = acceptance;
    events.warn("trail accepted", {
      reason,
      refused: refused === undefined ? "none" : inWords(refused),
      accepted: inWords(accepted),
    });
  });
}

function readReason({ reason: text = "" }: { readonly reason?: string | undefined }): string {
  const reason = text.trim();
  if (reason === "" || [...reason].length > longestReason) {
    throw new Error(`--reason is missing, blank, or longer than ${longestReason} characters`);
  }
  return reason;
}
