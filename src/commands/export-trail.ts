import { makeTrailRepository } from "../adapters/postgres/trail/trail-repository.ts";
import { readEntries } from "../application/trail/reader.ts";
import { readSettings } from "../config/read-settings.ts";
import { databaseSettings } from "../config/settings.ts";
import { readOptions, type Surroundings } from "./command.ts";
import { withDatabase } from "./command-database.ts";
import { writeWhole } from "./output.ts";

/** Written at once. */
const chunkBytes = 64 * 1024;
const lineEnd = Buffer.from("\n");

/** `export-trail`: writes the entries to standard output in their canonical bytes, a line each. */
export async function runExportTrail(surroundings: Surroundings): Promise<void> {
  const { environment, args, readFile, sqlFolder, stdout } = surroundings;
  const from = readOptions(args, { from: { type: "string", default: "0" } }, ({ from }) => {
    if (!/^\d{1,15}$/.test(from)) throw new Error("--from is not the index of an entry");
    return Number(from);
  });
  const settings = readSettings(databaseSettings, environment, readFile);
  await withDatabase(settings, sqlFolder, async database => {
    let chunk: Uint8Array[] = [];
    let length = 0;
    const trail = makeTrailRepository(database);
    for await (const entry of readEntries(trail, from, (await trail.end()).size)) {
      chunk.push(entry, lineEnd);
      length += entry.length + 1;
      if (length < chunkBytes) continue;
      await writeWhole(stdout, Buffer.concat(chunk));
      [chunk, length] = [[], 0];
    }
    if (length > 0) await writeWhole(stdout, Buffer.concat(chunk));
  });
}
