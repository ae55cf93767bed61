import { randomBytes } from "node:crypto";
import { readSettings } from "../config/read-settings.ts";
import { trailKeySettings } from "../config/standalone-settings.ts";
import { formatSignerKey, formatVerifierKey, makeSignerKey, type SignerKey } from "../domain/trail/note.ts";
import type { CommandContext } from "./command.ts";
import { readGiven, usageError } from "./options.ts";

export async function runTrailKey(
  { environment, write, stderr }: CommandContext,
  { public: isPublic }: { readonly public: boolean },
  names: readonly string[],
): Promise<void> {
  if (isPublic) {
    if (names.length > 0) throw usageError("--public takes nothing else");
    const { trailKey } = readSettings(trailKeySettings, environment);
    return write(`${formatVerifierKey(trailKey)}\n`);
  }
  const key = newKey(names);
  await write(`${formatSignerKey(key)}\n`);
  stderr.write(`${formatVerifierKey(key)}\n`);
}

function newKey([name, ...others]: readonly string[]): SignerKey {
  if (name === undefined || others.length > 0)
    throw usageError("takes one NAME, for example: example.com/log");
  return readGiven("the key", () => makeSignerKey(name, randomBytes(32)));
}
