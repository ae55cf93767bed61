import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import { makeStateFile } from "../adapters/trail-state-file.ts";
import { acceptTrail } from "../application/trail/signing.ts";
import { acceptTrailSettings } from "../config/settings.ts";
import { acceptanceInWords } from "../domain/trail/acceptance.ts";
import { faultOrRethrow, readCount } from "../domain/trail/encoding.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { eventsOf, withDatabase } from "./command-database.ts";
import { readGiven, usageError } from "./options.ts";

const longestReason = 1_000;

export async function runAcceptTrail(
  context: CommandContext,
  values: { readonly reason: string; readonly "gives-up": string },
): Promise<void> {
  const reason = readReason(values.reason);
  const givesUp = readGiven("--gives-up", () => readCount("number", values["gives-up"]));
  await withDatabase(acceptTrailSettings, context, async (database, { trailKey: key, trailStateFile }) => {
    const stateFile = trailStateFile === undefined ? undefined : makeStateFile(trailStateFile);
    const ports = { ...makeRepositories(database).trail, stateFile, key };
    const acceptance = await acceptTrail(ports, { reason, givesUp }).catch((error: unknown) => {
      throw new CommandError(exitCodes.failure, faultOrRethrow(error));
    });
    if (acceptance === undefined) {
      context.print("nothing to accept: the stored trail extends what was signed");
      return;
    }
    eventsOf(context).warn("trail accepted", acceptanceInWords(acceptance));
  });
}

function readReason(text: string): string {
  const reason = text.trim();
  if (reason === "" || [...reason].length > longestReason)
    throw usageError(`--reason is blank, or longer than ${longestReason} characters`);
  if (/\p{Cc}/u.test(reason)) throw usageError("--reason has control characters, such as the end of a line");
  return reason;
}
