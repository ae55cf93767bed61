import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { makeTrailClient, TrailClientError } from "../adapters/trail-client.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { replaceFile } from "../adapters/trail-state-file.ts";
import { auditTrail, type Remembered } from "../application/trail/audit.ts";
import { readSettings } from "../config/read-settings.ts";
import { auditSettings } from "../config/standalone-settings.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { usageError } from "./options.ts";
import { readVerifierKeys } from "./verifier-key.ts";

interface Values {
  readonly url: string;
  readonly key: readonly string[];
  readonly state: string;
}

/** `audit`: compares the trail, read over HTTP, with what was remembered of it the last time. */
export async function runAudit(context: CommandContext, { url, key, state }: Values): Promise<void> {
  const { environment, readFile, print } = context;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw usageError("--url is not the URL of a service");
  const keys = readVerifierKeys(key);
  const client = makeTrailClient(new URL(url), readSettings(auditSettings, environment, readFile));
  const remembered = readState(state, readFile);
  const audited = await auditTrail(client, keys, trailCrypto, remembered).catch((error: unknown) => {
    if (error instanceof TrailError) throw failed(`the trail ${error.message}`);
    throw error instanceof TrailClientError ? failed(`nothing was audited: ${error.message}`) : error;
  });
  try {
    mkdirSync(dirname(state), { recursive: true, mode: 0o700 });
    await replaceFile(state, `${JSON.stringify(audited.remembered)}\n`);
  } catch (error) {
    throw failed(`${state} cannot be written: ${(error as Error).message}`);
  }
  const { added, checkpoint, newest } = audited;
  const { origin, size } = checkpoint;
  const since = added === size ? "" : `, and continue the ${size - added} of the last audit`;
  const recorded = newest?.recordedAt == null ? "before the trail began" : `at ${newest.recordedAt}`;
  const until = newest === undefined ? "" : `; the newest was recorded ${recorded}`;
  print(`${origin}: the checkpoint of ${size} entries holds: ${added} are new${since}${until}`);
}

const failed = (line: string): CommandError => new CommandError(exitCodes.failure, line);

/** Undefined the first time. A file that is there and cannot be read is no reason to begin anew. */
function readState(path: string, readFile: (path: string) => string): Remembered | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const state = JSON.parse(readFile(path)) as Partial<Remembered> | null;
    const isState = typeof state?.checkpoint === "string" && Array.isArray(state.hashes);
    if (isState && state.hashes?.every(hash => typeof hash === "string")) return state as Remembered;
    throw new Error("it is not a state of audit");
  } catch (error) {
    throw failed(`${path} cannot be read: ${(error as Error).message}`);
  }
}
