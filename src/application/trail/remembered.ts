import { type Checkpoint, readCheckpoint } from "../../domain/trail/checkpoint.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import type { VerifierKey } from "../../domain/trail/note.ts";
import { UnsuitableDatabase } from "../unsuitable-database.ts";
import { requireContinued } from "./continuation.ts";
import type { StateFile, TrailStore } from "./ports.ts";
import { makeStoredTree } from "./tree.ts";

/** A head that was signed before. */
export interface OlderHead extends Checkpoint {
  /** Where its note is kept, in words. */
  readonly place: string;
}

/** Throws TrailError for a note that is no checkpoint, as an empty one. Does not check the signature: the key may be another one by now. */
export function headIn(place: string, note: string | undefined): OlderHead | undefined {
  try {
    return note === undefined ? undefined : { ...readCheckpoint(note), place };
  } catch {
    throw new TrailError(
      `${place} has no checkpoint: put back the last one from the log or a backup, or run accept-trail`,
    );
  }
}

/** The head that is remembered outside the database. Throws as `headIn`. */
export const rememberedHead = async ({ place, read }: StateFile): Promise<OlderHead | undefined> =>
  headIn(place, await read());

/**
 * Throws TrailError unless the stored trail extends the checkpoint that is remembered outside the database, or what one of the
 * keys has signed to go on with in its place, and UnsuitableDatabase if the database has neither records nor entries, as after a
 * restore that failed.
 */
export async function requireRemembered(
  { stateFile, ...store }: TrailStore & { readonly stateFile: StateFile },
  keys: readonly VerifierKey[] = [],
): Promise<void> {
  const { ledger, records } = store;
  const { place } = stateFile;
  // Before the trail, which a service may sign meanwhile.
  const remembered = await rememberedHead(stateFile);
  if (remembered === undefined || remembered.size === 0) return;
  if (await records.isEmpty()) {
    throw new UnsuitableDatabase(
      `the database has no records, and ${place} remembers ${remembered.size} entries of its trail: restore a backup; if the trail is to begin anew, move that file away`,
    );
  }
  const { size } = await ledger.end();
  const tree = makeStoredTree(ledger);
  await requireContinued(store, remembered, keys, async head => {
    if (head.size <= size && (await tree.extends(head, await tree.frontier(size)))) return;
    const source = head === remembered ? place : "trail_acceptance";
    const missing = head.size - size;
    if (missing > 0)
      throw new TrailError(
        `${source} remembers ${head.size} entries of the trail, and the database has ${size}: ${missing} are missing`,
      );
    throw new TrailError(`the database does not have the ${head.size} entries that ${source} remembers`);
  });
}
