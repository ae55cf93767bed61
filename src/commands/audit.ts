import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../adapters/system-clock.ts";
import { makeTrailClient, TrailClientError } from "../adapters/trail-client.ts";
import { replaceFile } from "../adapters/trail-state-file.ts";
import { type AuditState, askUntil, auditTrail, requirePrefix } from "../application/trail/audit.ts";
import { readSettings } from "../config/read-settings.ts";
import { auditSettings } from "../config/standalone-settings.ts";
import { readDuration } from "../config/values.ts";
import { openCheckpoint } from "../domain/trail/checkpoint.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import type { VerifierKey } from "../domain/trail/note.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { readGiven, usageError, type Values } from "./options.ts";
import type { auditOptions } from "./verification-options.ts";
import { readCheckpoints, readTrustedKeys } from "./verify-input.ts";

export async function runAudit(context: CommandContext, values: Values<typeof auditOptions>): Promise<void> {
  const { url, state, "newest-within": within } = values;
  const { environment, print } = context;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw usageError("--url is not the URL of a service");
  const base = new URL(url);
  if (base.username !== "" || base.password !== "")
    throw usageError("--url must not have a name or password: they are AUDIT_EMAIL and AUDIT_PASSWORD");
  const trusted = readTrustedKeys(values.key, values.witness);
  const withinSeconds =
    within === undefined ? undefined : readGiven("--newest-within", () => readDuration(within));
  const kept = await readCheckpoints(values.checkpoint, trusted.keys);
  const client = makeTrailClient(base, readSettings(auditSettings, environment));
  const last = readState(state, trusted.keys);
  const seenSize = Math.max(0, ...kept.map(({ size }) => size));
  const audited = await reported("the trail", auditTrail(client, trusted, last, seenSize));
  for (const checkpoint of kept)
    await reported(checkpoint.path, requirePrefix(client, checkpoint, audited.checkpoint));
  const recordedAt = audited.newest?.recordedAt ?? undefined;
  const now = systemClock.now();
  // An entry from before the trail has no time, and counts as too old.
  const seconds = (now.getTime() - Date.parse(recordedAt ?? "0000-01-01")) / 1_000;
  // `Math.abs`: an entry that is dated in the future would pass until that date.
  if (withinSeconds !== undefined && Math.abs(seconds) >= withinSeconds) {
    const age = `the newest entry is ${seconds < 0 ? `not within ${within} of now` : `older than ${within}`}`;
    const isBehind = await reported(
      "the trail",
      askUntil(client, client.hasUnproven, hasUnproven => !hasUnproven),
    );
    const why = isBehind ? "logs were written that are not in the trail" : "no log was written since";
    const times = `recorded ${recordedAt ?? "before the trail began"}, and the clock of this machine says ${now.toISOString()}`;
    throw failed(`${age}: ${why} (${times})`);
  }
  try {
    mkdirSync(dirname(state), { recursive: true, mode: 0o700 });
    await replaceFile(state, `${JSON.stringify(audited.state)}\n`);
  } catch (error) {
    throw failed(`${state} cannot be written: ${(error as Error).message}`);
  }
  const { added, checkpoint, newest } = audited;
  const { origin, size } = checkpoint;
  const since = added === size ? "" : `, and continue the ${size - added} of the last audit`;
  const recorded = recordedAt === undefined ? "before the trail began" : `at ${recordedAt}`;
  const until = newest === undefined ? "" : `; the newest was recorded ${recorded}`;
  print(`${origin}: the checkpoint of ${size} entries holds: ${added} are new${since}${until}`);
}

/** Makes a fault a CommandError that names what was audited. */
async function reported<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TrailError) throw failed(`${what} ${error.message}`);
    throw error instanceof TrailClientError ? failed(`nothing was audited: ${error.message}`) : error;
  }
}

const failed = (line: string): CommandError => new CommandError(exitCodes.failure, line);

/** Undefined the first time. A file that is there and cannot be read is no reason to begin anew. */
function readState(path: string, keys: readonly VerifierKey[]) {
  if (!existsSync(path)) return undefined;
  try {
    const { checkpoint, hashes } = (JSON.parse(readFileSync(path, "utf8")) ?? {}) as Partial<AuditState>;
    const isState = Array.isArray(hashes) && [checkpoint, ...hashes].every(text => typeof text === "string");
    if (!isState || checkpoint === undefined) throw new Error("it is not a state of audit");
    return { head: openCheckpoint(checkpoint, keys), hashes };
  } catch (error) {
    const what = error instanceof TrailError ? "its checkpoint " : "";
    throw failed(`${path} cannot be read: ${what}${(error as Error).message}`);
  }
}
