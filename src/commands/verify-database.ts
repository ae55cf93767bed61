import { makeTrailRepository } from "../adapters/postgres/trail/trail-repository.ts";
import { makeStateFile } from "../adapters/state-file.ts";
import { trailCrypto } from "../adapters/trail-crypto.ts";
import { allPartsOf, makeExamination, toldBy } from "../application/trail/examination.ts";
import { inWords } from "../application/trail/signing.ts";
import type { TrailRepository } from "../application/trail/trail-repository.ts";
import { extendsHead, readTree, type Tree } from "../application/trail/tree.ts";
import { readSettings } from "../config/read-settings.ts";
import { verifyDatabaseSettings } from "../config/settings.ts";
import { openCheckpoint } from "../domain/trail/checkpoint.ts";
import { TrailError } from "../domain/trail/encoding.ts";
import { makeTreeHasher } from "../domain/trail/merkle.ts";
import type { VerifierKey } from "../domain/trail/note.ts";
import { CommandError, exitCodes, type Surroundings } from "./command.ts";
import { withDatabase } from "./command-database.ts";

const hasher = makeTreeHasher(trailCrypto.sha256);

/** `verify --database`: every record against its hash, every hash against the tree, the tree against what was signed. */
export async function verifyDatabase(
  { environment, readFile, sqlFolder, print, report }: Surroundings,
  keys: readonly VerifierKey[],
): Promise<void> {
  const settings = readSettings(verifyDatabaseSettings, environment, readFile);
  const { trailStateFile } = settings;
  await withDatabase(settings, sqlFolder, async database => {
    const trail = makeTrailRepository(database);
    let differences = 0;
    const tell = async (difference: string): Promise<void> => {
      differences += 1;
      await report(difference);
    };
    const examination = makeExamination({
      trail,
      hasher,
      pause: async () => {},
      takeLate: async (kind, records) => {
        // Several records can be states of one employee or asset.
        for (const id of new Set(records.map(record => toldBy(record).id)))
          await tell(`${kind} ${id} has no entry: it was slipped in, or is not numbered yet`);
      },
    });
    for (const part of await allPartsOf(trail)) {
      for await (const { kind, id, what } of examination.examine(part)) await tell(`${kind} ${id}: ${what}`);
    }
    const { size } = await trail.end();
    const tree = await readTree(trail, hasher, size).catch(async (error: unknown) => {
      if (!(error instanceof TrailError)) throw error;
      await tell(error.message);
    });
    const stored = (await trail.lastCheckpoint())?.note;
    const remembered = trailStateFile === undefined ? undefined : await makeStateFile(trailStateFile).read();
    if (size > 0 && stored === undefined && remembered === undefined) {
      await tell("no checkpoint says which entries were signed");
    }
    for (const [where, note] of [
      ["database", stored],
      ["TRAIL_STATE_FILE", remembered],
    ] as const) {
      if (note === undefined) {
        print(`no checkpoint in ${where}`);
        continue;
      }
      const fault = await faultOfCheckpoint(
        trail,
        keys,
        `the checkpoint in ${where}`,
        note,
        tree ?? undefined,
      );
      if (fault !== undefined) await tell(fault);
    }
    if (differences > 0) {
      throw new CommandError(exitCodes.failure, `differences found: ${differences}`);
    }
    print(`${size} entries: all records match, and the tree extends the checkpoints`);
  });
}

async function faultOfCheckpoint(
  trail: TrailRepository,
  keys: readonly VerifierKey[],
  name: string,
  note: string,
  tree: Tree | undefined,
): Promise<string | undefined> {
  try {
    const head = openCheckpoint(note, keys, trailCrypto);
    if (tree === undefined || (await extendsHead(trail, hasher, head, tree))) return undefined;
    return `${name}, ${inWords(head)}, is not extended by the tree ${inWords({ size: tree.size, root: tree.root() })}`;
  } catch (error) {
    if (error instanceof TrailError) return `${name} ${error.message}`;
    throw error;
  }
}
