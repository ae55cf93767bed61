import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { makeTrailClient, TrailClientError } from "../adapters/trail-client.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { type Audited, auditTrail, type Remembered } from "../application/trail-audit.ts";
import { auditSettings } from "../config/audit-settings.ts";
import { readSettings } from "../config/read-settings.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { CommandError, exitCodes, type Surroundings } from "./command.ts";
import { writeWhole } from "./output.ts";
import { readKey } from "./verifier-key.ts";

/** `audit`: holds the trail, read over HTTP, against what was remembered of it the last time. */
export async function runAudit({ args, environment, readFile, stdout }: Surroundings): Promise<void> {
  const { url, keys, statePath } = readOptions(args);
  const credentials = readSettings(auditSettings, environment, readFile);
  const remembered = readState(statePath, readFile);
  const audited = await audit();
  writeState(statePath, audited.remembered);
  const { added, checkpoint } = audited;
  const { origin, size } = checkpoint;
  const before = size - added;
  await writeWhole(
    stdout,
    `${origin}: the checkpoint of ${size} entries holds: ${added} new entries were read and hashed, ${
      before === 0
        ? "beginning with the first"
        : `and continue the ${before} of the last audit, which were not read again`
    }\n`,
  );

  async function audit(): Promise<Audited> {
    try {
      return await auditTrail(makeTrailClient(url, credentials), keys, trailCrypto, remembered);
    } catch (error) {
      if (error instanceof TrailError)
        throw new CommandError(exitCodes.failure, `the trail ${error.message}`);
      if (!(error instanceof TrailClientError)) throw error;
      throw new CommandError(exitCodes.failure, `nothing was audited: ${error.message}`);
    }
  }
}

function readOptions(args: readonly string[]) {
  const one = { type: "string" } as const;
  const many = { type: "string", multiple: true, default: [] as string[] } as const;
  try {
    const { values } = parseArgs({ args: [...args], options: { url: one, key: many, state: one } });
    const { url, key, state } = values;
    if (url === undefined || key.length === 0 || state === undefined) {
      throw new Error("takes --url, --key and --state");
    }
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error("--url is not the URL of a service");
    return { url: new URL(url), keys: key.map(readKey), statePath: state };
  } catch (error) {
    throw new CommandError(exitCodes.usage, (error as Error).message);
  }
}

/** Undefined the first time. A file that is there and cannot be read is no reason to begin anew. */
function readState(path: string, readFile: (path: string) => string): Remembered | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { checkpoint, hashes } = JSON.parse(readFile(path)) as Partial<Remembered>;
    if (
      typeof checkpoint !== "string" ||
      !Array.isArray(hashes) ||
      !hashes.every(hash => typeof hash === "string")
    ) {
      throw new Error("it is not a state of audit");
    }
    return { checkpoint, hashes };
  } catch (error) {
    throw new CommandError(exitCodes.failure, `${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Replaces the file in one step, so that it is always a whole one. */
function writeState(path: string, state: Remembered): void {
  try {
    const file = openSync(`${path}.new`, "w", 0o600);
    writeFileSync(file, `${JSON.stringify(state)}\n`);
    fsyncSync(file);
    closeSync(file);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new CommandError(exitCodes.failure, `${path} cannot be written: ${(error as Error).message}`);
  }
}
