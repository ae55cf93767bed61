import type { CommandContext } from "./command.ts";
import { usageError, type Values } from "./options.ts";
import type { verifyOptions } from "./verification-options.ts";
import { verifyEntries } from "./verify-entries.ts";
import { readTrustedKeys } from "./verify-input.ts";
import { verifyProof } from "./verify-proof.ts";

export async function runVerify(
  context: CommandContext,
  values: Values<typeof verifyOptions>,
): Promise<void> {
  const { checkpoint, entries, proof, log, database } = values;
  const trusted = readTrustedKeys(values.key, values.witness);
  const isExport = checkpoint.length > 0 || entries !== undefined;
  const isLog = proof !== undefined || log !== undefined;
  if (Number(isExport) + Number(isLog) + Number(database) === 1) {
    // The only one that needs the database and its package.
    if (database) {
      if (trusted.witnesses.length > 0)
        throw usageError(
          "--witness does not go with --database: the checkpoints that the service keeps are not cosigned",
        );
      return (await import("./verify-database.ts")).verifyDatabase(context, trusted.keys);
    }
    if (checkpoint.length > 0 && entries !== undefined)
      return verifyEntries(context, trusted, checkpoint, entries);
    if (proof !== undefined && log !== undefined) return verifyProof(context, trusted, proof, log);
  }
  throw usageError("takes --checkpoint and --entries, or --proof and --log, or --database");
}
