import { makeRepositories } from "../adapters/postgres/repositories/repositories.ts";
import { readEntries } from "../application/trail/publishing.ts";
import { databaseSettings } from "../config/settings.ts";
import { type CommandContext, CommandError, exitCodes } from "./command.ts";
import { withDatabase } from "./command-database.ts";
import { usageError } from "./options.ts";

export async function runExportTrail(context: CommandContext, values: { readonly from: string }) {
  if (!/^\d{1,15}$/.test(values.from)) throw usageError("--from is not the index of an entry");
  const from = Number(values.from);
  await withDatabase(databaseSettings, context, async database => {
    const { ledger, records } = makeRepositories(database).trail;
    const lineEnd = Buffer.from("\n");
    const { size } = await ledger.end();
    if (from > size) throw new CommandError(exitCodes.badData, `the trail has ${size} entries`);
    for await (const entries of readEntries(records, from, size)) {
      await context.write(Buffer.concat(entries.flatMap(entry => [entry, lineEnd])));
    }
  });
}
