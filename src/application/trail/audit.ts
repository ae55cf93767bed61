import { type Head, openCheckpoint } from "../../domain/trail/checkpoint.ts";
import { makePrefixCheck } from "../../domain/trail/comparison.ts";
import { fromBase64, TrailError, toBase64 } from "../../domain/trail/encoding.ts";
import { readEntry } from "../../domain/trail/entry.ts";
import { hashLength, leafHash, makeFrontier, nodesOf } from "../../domain/trail/merkle.ts";
import type { VerifierKey } from "../../domain/trail/note.ts";
import { readBundle, type Tile, tileAt, tileHeight, tilePath, tileWidth } from "../../domain/trail/tile.ts";
import type { HashRange } from "./ports.ts";
import { makeStoredTree } from "./tree.ts";

/** What a service publishes of its trail: its newest checkpoint, entry bundles, and the hashes of tiles. Undefined: there is none. */
export interface AuditedTrail {
  checkpoint(): Promise<string | undefined>;
  bundle(tile: Omit<Tile, "level">): Promise<Uint8Array | undefined>;
  tile(tile: Tile): Promise<Uint8Array | undefined>;
  /** Resolves a moment later. */
  pause(): Promise<unknown>;
}

/** How often what may be there a moment later is asked for: a process whose poll takes long may be behind another one. */
const attempts = 6;

/** Asks again, some times, until there is a result and it will do; returns the last one. */
export async function askUntil<T>(
  { pause }: Pick<AuditedTrail, "pause">,
  ask: () => Promise<T>,
  willDo: (result: T) => boolean = result => result !== undefined,
): Promise<T> {
  let result = await ask();
  for (let attempt = 1; attempt < attempts && !willDo(result); attempt += 1) {
    await pause();
    result = await ask();
  }
  return result;
}

/** What an auditor keeps: the last checkpoint that held, and from where its tree is recomputed. */
export interface AuditState {
  readonly checkpoint: string;
  /** In base64, the frontier before the checkpoint's last bundle, so that this bundle is read again each time. */
  readonly hashes: readonly string[];
}

/** A state whose checkpoint was opened. */
export type LastAudit = Omit<AuditState, "checkpoint"> & { readonly head: Head };

/**
 * Reads the last bundle of the last audit again, and all that is new since. Recomputes the trees of that audit's checkpoint and of
 * the newest one from them.
 *
 * @param seenSize entries that somebody has seen: a newest checkpoint of fewer is asked for again, some times
 * @throws TrailError when the trail does not extend that of the last audit, or is not what its checkpoint says
 */
export async function auditTrail(
  published: AuditedTrail,
  { keys, witnesses }: { readonly keys: readonly VerifierKey[]; readonly witnesses: readonly VerifierKey[] },
  last?: LastAudit,
  seenSize = 0,
) {
  const readNewest = async () => {
    const note = await published.checkpoint();
    if (note === undefined) throw new TrailError("has no checkpoint");
    return { note, checkpoint: openCheckpoint(note, keys, witnesses) };
  };
  const before = last?.head;
  const oldSize = before?.size ?? 0;
  const isNewest = ({ checkpoint }: { readonly checkpoint: Head }) =>
    checkpoint.size >= Math.max(oldSize, seenSize);
  const { note, checkpoint } = await askUntil(published, readNewest, isNewest);
  const { size } = checkpoint;
  if (size < oldSize)
    throw new TrailError(`has ${size} entries, fewer than the ${oldSize} that it had before`);

  const start = Math.floor(Math.max(0, oldSize - 1) / tileWidth) * tileWidth;
  const hashes = last?.hashes.map(fromBase64) ?? [];
  if (hashes.length !== nodesOf({ from: 0, to: start }).length) throw new TrailError("is remembered wrongly");
  const frontier = makeFrontier({ size: start, hashes });
  const check = makePrefixCheck(before === undefined ? [checkpoint] : [before, checkpoint], frontier);
  let hashesBefore = frontier.hashes;
  let newest: Uint8Array | undefined;
  while (check.size < size) {
    const index = check.size / tileWidth;
    const tile = tileAt(0, index, size) as Tile;
    const bundle = await askUntil(published, () => published.bundle(tile));
    if (bundle === undefined)
      throw new TrailError(`has no entry bundle ${index}, which its checkpoint covers`);
    const entries = readBundle(bundle);
    if (entries.length !== tile.width)
      throw new TrailError(`has an entry bundle ${index} of ${entries.length} entries, not ${tile.width}`);
    hashesBefore = frontier.hashes;
    newest = entries.at(-1);
    for (const entry of entries) check.add(leafHash(entry));
  }
  if (before !== undefined && !check.matches(before))
    throw new TrailError(`does not have the ${oldSize} entries of the last audit: its history was rewritten`);
  if (!check.matches(checkpoint))
    throw new TrailError(`has entries that are not those of its checkpoint of ${size}`);
  const next: AuditState = { checkpoint: note, hashes: hashesBefore.map(toBase64) };
  return { checkpoint, added: size - oldSize, newest: newest && readEntry(newest), state: next };
}

/**
 * Throws TrailError unless the tree of a kept checkpoint is a prefix of that of the newest one, by the hashes of tiles: those
 * are right if both roots can be computed from them (RFC 6962, section 2.1.2).
 */
export async function requirePrefix(published: AuditedTrail, kept: Head, newest: Head): Promise<void> {
  if (kept.size > newest.size)
    throw new TrailError(
      `covers ${kept.size - newest.size} entries more than the ${newest.size} of the trail`,
    );
  const tiles = new Map<string, Promise<Uint8Array>>();
  const tree = makeStoredTree({
    hashes: ranges => Promise.all(ranges.map(hashesOf)),
    firstMissing: async from => from,
  });
  if (!(await tree.extends(kept, newest))) throw new TrailError("is of another history than the trail");

  /** Tiles have every eighth level; the tree computes the fourth ones from them. A range of the tree lies in one tile. */
  async function hashesOf({ level, from, to }: HashRange): Promise<Uint8Array> {
    const tile = tileAt(level / tileHeight, Math.floor(from / tileWidth), newest.size);
    if (level % tileHeight !== 0 || tile === undefined) return new Uint8Array();
    const path = tilePath(tile);
    const hashes = tiles.get(path) ?? read(tile);
    tiles.set(path, hashes);
    const start = from - tile.index * tileWidth;
    return (await hashes).subarray(start * hashLength, (start + to - from) * hashLength);
  }

  async function read(tile: Tile): Promise<Uint8Array> {
    const hashes = await askUntil(published, () => published.tile(tile));
    if (hashes?.length === tile.width * hashLength) return hashes;
    const fault = hashes === undefined ? "is not there" : "is not of its length";
    throw new TrailError(`cannot be compared with the trail: its tile ${tilePath(tile)} ${fault}`);
  }
}
