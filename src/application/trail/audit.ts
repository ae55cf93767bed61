import { openCheckpoint } from "../../domain/trail/checkpoint.ts";
import type { TrailCrypto } from "../../domain/trail/crypto.ts";
import { fromBase64, TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import { readEntry } from "../../domain/trail/entry.ts";
import { makeFrontier, makeTreeHasher, nodesOf } from "../../domain/trail/merkle.ts";
import type { VerifierKey } from "../../domain/trail/note.ts";
import { readBundle, type Tile, tileAt, tileWidth } from "../../domain/trail/tile.ts";
import { makePrefixCheck } from "../../domain/trail/verification.ts";

/** What a service publishes of its trail. */
export interface AuditedTrail {
  /** The newest checkpoint; undefined while there is none. */
  checkpoint(): Promise<string | undefined>;
  /** The entry bundle at this place. */
  bundle(place: Omit<Tile, "level">): Promise<Uint8Array>;
}

/** What an auditor keeps: the last checkpoint that held, and from where its tree is recomputed. */
export interface Remembered {
  readonly checkpoint: string;
  /** In base64, the frontier before the checkpoint's last bundle, so that this bundle is read again each time. */
  readonly hashes: readonly string[];
}

/**
 * Reads the last bundle of the remembered checkpoint again, and all that is new since. Recomputes the trees of the
 * remembered and of the newest checkpoint from them.
 *
 * @throws TrailError when the trail is not a continuation of what is remembered, or not what its checkpoint says
 */
export async function auditTrail(
  published: AuditedTrail,
  keys: readonly VerifierKey[],
  crypto: TrailCrypto,
  remembered?: Remembered,
) {
  const hasher = makeTreeHasher(crypto.sha256);
  const before = remembered && openCheckpoint(remembered.checkpoint, keys, crypto);
  const note = await published.checkpoint();
  if (note === undefined) throw new TrailError("has no checkpoint");
  const checkpoint = openCheckpoint(note, keys, crypto);
  const { size } = checkpoint;
  const oldSize = before?.size ?? 0;
  if (size < oldSize)
    throw new TrailError(`has ${size} entries, fewer than the ${oldSize} that it had before`);

  const start = Math.floor(Math.max(0, oldSize - 1) / tileWidth) * tileWidth;
  const hashes = remembered?.hashes.map(fromBase64) ?? [];
  if (hashes.length !== nodesOf({ from: 0, to: start }).length) throw new TrailError("is remembered wrongly");
  const frontier = makeFrontier(hasher, { size: start, hashes });
  const check = makePrefixCheck(before === undefined ? [checkpoint] : [before, checkpoint], frontier);
  let hashesBefore = frontier.hashes;
  let newest: Uint8Array | undefined;
  while (frontier.size < size) {
    const index = frontier.size / tileWidth;
    const place = tileAt(0, index, size) as Tile;
    const entries = readBundle(await published.bundle(place));
    if (entries.length !== place.width)
      throw new TrailError(`has an entry bundle ${index} of ${entries.length} entries, not ${place.width}`);
    hashesBefore = frontier.hashes;
    newest = entries.at(-1);
    for (const entry of entries) check.add(hasher.leaf(entry));
  }
  if (before !== undefined && !check.matches(before)) {
    throw new TrailError(`does not have the ${oldSize} entries of the last audit: its history was rewritten`);
  }
  if (!check.matches(checkpoint)) {
    throw new TrailError(`has entries that are not those of its checkpoint of ${size}`);
  }
  const kept: Remembered = { checkpoint: note, hashes: hashesBefore.map(toBase64) };
  return { checkpoint, added: size - oldSize, newest: newest && readEntry(newest), remembered: kept };
}
