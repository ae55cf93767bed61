import { rm, writeFile } from "node:fs/promises";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { readSettings } from "../config/read-settings.ts";
import { trailKeySettings } from "../config/standalone-settings.ts";
import { formatSignerKey, formatVerifierKey, makeSignerKey, type SignerKey } from "../domain/trail/note.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { usageError } from "./options.ts";

interface Values {
  readonly out: string | undefined;
  readonly public: boolean;
}

/** `trail-key`: makes a key of the trail, or prints the public half of the one that is kept. */
export async function runTrailKey(
  { environment, readFile, write, stderr }: CommandContext,
  { out, public: isPublic }: Values,
  names: readonly string[],
): Promise<void> {
  if (isPublic) {
    if (out !== undefined || names.length > 0) throw usageError("--public takes nothing else");
    const { trailKey } = readSettings(trailKeySettings, environment, readFile);
    return write(`${formatVerifierKey(trailKey)}\n`);
  }
  const key = newKey(names);
  const [secret, verifier] = [`${formatSignerKey(key)}\n`, `${formatVerifierKey(key)}\n`];
  if (out === undefined) {
    await write(secret);
    stderr.write(verifier);
  } else {
    await writeNew(out, secret);
    await write(verifier);
  }
}

function newKey([name, ...others]: readonly string[]): SignerKey {
  if (name === undefined || others.length > 0)
    throw usageError("takes one NAME, for example: example.com/log");
  try {
    return makeSignerKey(name, trailCrypto.newSeed(), trailCrypto);
  } catch (error) {
    throw usageError(`the key ${(error as Error).message}`);
  }
}

/** Never writes over a key, without which nothing could be signed any more. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isThere = code === "EEXIST";
    if (!isThere) await rm(path, { force: true });
    const reason = isThere ? "exists: a key is never overwritten" : `cannot be written: ${message}`;
    throw new CommandError(exitCodes.outputFailed, `${path} ${reason}`);
  }
}
