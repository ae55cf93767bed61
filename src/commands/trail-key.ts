import { trailCrypto } from "../adapters/trail-crypto.ts";
import { formatSignerKey, formatVerifierKey, makeSignerKey, type SignerKey } from "../domain/trail/note.ts";
import { CommandError, exitCodes, type Surroundings } from "./command.ts";
import { writeWhole } from "./output.ts";

/** `trail-key NAME`: makes a key of the trail; the secret one goes to standard output, the public one to standard error. */
export async function runTrailKey({ args, stdout, stderr }: Surroundings): Promise<void> {
  const key = newKey(args);
  await writeWhole(stdout, `${formatSignerKey(key)}\n`);
  await writeWhole(stderr, `${formatVerifierKey(key)}\n`);
}

function newKey(args: readonly string[]): SignerKey {
  const [name, ...others] = args;
  if (name === undefined || others.length > 0 || name.startsWith("-")) {
    throw new CommandError(exitCodes.usage, "takes one NAME, for example: example.com/maintenance");
  }
  try {
    return makeSignerKey(name, trailCrypto.newSeed(), trailCrypto);
  } catch (error) {
    throw new CommandError(exitCodes.usage, `the key ${(error as Error).message}`);
  }
}
