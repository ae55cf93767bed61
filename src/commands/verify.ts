import { CommandError, exitCodes, readOptions, type Surroundings } from "./command.ts";
import { readKey } from "./verifier-key.ts";
import { verifyEntries } from "./verify-entries.ts";
import { verifyProof } from "./verify-proof.ts";

const many = { type: "string", multiple: true, default: [] as string[] } as const;
const one = { type: "string" } as const;
const database = { type: "boolean", default: false } as const;
const options = { key: many, checkpoint: many, entries: one, proof: one, log: one, database };

/** `verify`: holds an export of the trail, one log, or the database itself against what was signed. */
export async function runVerify(surroundings: Surroundings): Promise<void> {
  const { keys, checkpoint, entries, proof, log, database } = readOptions(
    surroundings.args,
    options,
    ({ key, ...others }) => ({ keys: key.map(readKey), ...others }),
  );
  const isExport = checkpoint.length > 0 && entries !== undefined;
  const isLog = proof !== undefined && log !== undefined;
  if (keys.length === 0) throw new CommandError(exitCodes.usage, "--key is missing");
  if (database && checkpoint.length === 0 && (entries ?? proof ?? log) === undefined) {
    // The only one that needs the database and its package.
    await (await import("./verify-database.ts")).verifyDatabase(surroundings, keys);
  } else if (database) {
    throw new CommandError(exitCodes.usage, "--database goes with --key only");
  } else if (isExport && proof === undefined && log === undefined) {
    await verifyEntries(surroundings, keys, checkpoint, entries);
  } else if (isLog && checkpoint.length === 0 && entries === undefined) {
    await verifyProof(surroundings, keys, proof, log);
  } else {
    throw new CommandError(
      exitCodes.usage,
      "takes --checkpoint and --entries, or --proof and --log, or --database",
    );
  }
}
