import { type Checkpoint, openCheckpoint } from "../domain/trail/checkpoint.ts";
import type { TrailCrypto } from "../domain/trail/crypto.ts";
import { equalBytes, fromBase64, TrailError, toBase64 } from "../domain/trail/encoding.ts";
import { type Frontier, makeFrontier, makeTreeHasher, nodesOf } from "../domain/trail/merkle.ts";
import type { VerifierKey } from "../domain/trail/note.ts";
import { readBundle, type Tile, tileAt, tileWidth } from "../domain/trail/tile.ts";

/** What a trail answers to anybody who may read it. */
export interface TrailReader {
  /** The newest checkpoint; undefined while there is none. */
  checkpoint(): Promise<string | undefined>;
  /** The entry bundle at this place. */
  bundle(place: Omit<Tile, "level">): Promise<Uint8Array>;
}

/** What an auditor keeps: the last checkpoint that held, and from where its tree is recomputed further. */
export interface Remembered {
  readonly checkpoint: string;
  /** Of the tree's frontier, in base64. */
  readonly hashes: readonly string[];
}

export interface Audited {
  readonly checkpoint: Checkpoint;
  /** Entries that are new since the remembered checkpoint. */
  readonly added: number;
  /** To be kept for the next time. */
  readonly remembered: Remembered;
}

/**
 * Reads the entries that are new since the remembered checkpoint, and recomputes from them, and from what is remembered,
 * the tree of the newest checkpoint.
 *
 * @throws TrailError when the trail is not a continuation of what is remembered, or not what its checkpoint says
 */
export async function auditTrail(
  reader: TrailReader,
  keys: readonly VerifierKey[],
  crypto: TrailCrypto,
  remembered?: Remembered,
): Promise<Audited> {
  const hasher = makeTreeHasher(crypto.sha256);
  const frontier = remembered ? resume(remembered) : makeFrontier(hasher);
  const before = frontier.size;
  const note = await reader.checkpoint();
  if (note === undefined) throw new TrailError("has no checkpoint");
  const checkpoint = openCheckpoint(note, keys, crypto);
  const { size, root } = checkpoint;
  if (size < before) throw new TrailError(`has ${size} entries, fewer than the ${before} that it had before`);
  while (frontier.size < size) await readOn(frontier, size);
  if (!equalBytes(frontier.root(), root)) {
    throw new TrailError(
      before === 0
        ? `has entries that are not those of its checkpoint of ${size}`
        : `has a checkpoint of ${size} entries that does not continue the one of ${before}: its history was rewritten`,
    );
  }
  return {
    checkpoint,
    added: size - before,
    remembered: { checkpoint: note, hashes: frontier.hashes.map(toBase64) },
  };

  function resume({ checkpoint, hashes }: Remembered): Frontier {
    const { size, root } = openCheckpoint(checkpoint, keys, crypto);
    if (hashes.length !== nodesOf({ from: 0, to: size }).length)
      throw new TrailError("is remembered wrongly");
    const frontier = makeFrontier(hasher, { size, hashes: hashes.map(fromBase64) });
    if (!equalBytes(frontier.root(), root)) throw new TrailError("is remembered wrongly");
    return frontier;
  }

  /** Appends what the next bundle adds. */
  async function readOn(frontier: Frontier, size: number): Promise<void> {
    const index = Math.floor(frontier.size / tileWidth);
    const place = tileAt(0, index, size) as Tile;
    const entries = readBundle(await reader.bundle(place));
    if (entries.length !== place.width) {
      throw new TrailError(
        `has an entry bundle ${index} of ${entries.length} entries in place of ${place.width}`,
      );
    }
    for (const entry of entries.slice(frontier.size - index * tileWidth)) frontier.append(hasher.leaf(entry));
  }
}
