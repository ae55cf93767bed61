import { existsSync } from "node:fs";
import { replaceFile } from "../adapters/state-file.ts";
import { makeTrailClient, TrailClientError } from "../adapters/trail-client.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { type Audited, auditTrail, type Remembered } from "../application/trail-audit.ts";
import { auditSettings } from "../config/audit-settings.ts";
import { readSettings } from "../config/read-settings.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { CommandError, exitCodes, readOptions, type Surroundings } from "./command.ts";
import { writeWhole } from "./output.ts";
import { readKey } from "./verifier-key.ts";

/** `audit`: holds the trail, read over HTTP, against what was remembered of it the last time. */
export async function runAudit({ args, environment, readFile, stdout }: Surroundings): Promise<void> {
  const { url, keys, statePath } = readOptions(args, options, ({ url, key, state }) => {
    if (url === undefined || key.length === 0 || state === undefined) {
      throw new Error("takes --url, --key and --state");
    }
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error("--url is not the URL of a service");
    return { url: new URL(url), keys: key.map(readKey), statePath: state };
  });
  const credentials = readSettings(auditSettings, environment, readFile);
  const remembered = readState(statePath, readFile);
  const audited = await audit();
  await replaceFile(statePath, `${JSON.stringify(audited.remembered)}\n`).catch((error: Error) => {
    throw new CommandError(exitCodes.failure, `${statePath} cannot be written: ${error.message}`);
  });
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

const options = {
  url: { type: "string" },
  key: { type: "string", multiple: true, default: [] as string[] },
  state: { type: "string" },
} as const;

/** Undefined the first time. A file that is there and cannot be read is no reason to begin anew. */
function readState(path: string, readFile: (path: string) => string): Remembered | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const { checkpoint, hashes } = (JSON.parse(readFile(path)) ?? {}) as Partial<Remembered>;
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
