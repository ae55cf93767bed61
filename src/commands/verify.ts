import type { CommandContext } from "./command.ts";
import { usageError } from "./options.ts";
import { readVerifierKeys } from "./verifier-key.ts";
import { verifyEntries } from "./verify-entries.ts";
import { verifyProof } from "./verify-proof.ts";

interface Values {
  readonly key: readonly string[];
  readonly checkpoint: readonly string[];
  readonly entries: string | undefined;
  readonly proof: string | undefined;
  readonly log: string | undefined;
  readonly database: boolean;
}

/** `verify`: checks an export of the trail, one log, or the database itself against what was signed. */
export async function runVerify(context: CommandContext, values: Values): Promise<void> {
  const { checkpoint, entries, proof, log, database } = values;
  const keys = readVerifierKeys(values.key);
  const isExport = checkpoint.length > 0 || entries !== undefined;
  const isLog = proof !== undefined || log !== undefined;
  if (Number(isExport) + Number(isLog) + Number(database) === 1) {
    // The only one that needs the database and its package.
    if (database) return (await import("./verify-database.ts")).verifyDatabase(context, keys);
    if (checkpoint.length > 0 && entries !== undefined) {
      return verifyEntries(context, keys, checkpoint, entries);
    }
    if (proof !== undefined && log !== undefined) return verifyProof(context, keys, proof, log);
  }
  throw usageError("takes --checkpoint and --entries, or --proof and --log, or --database");
}
