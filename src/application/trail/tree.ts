import { TrailError } from "../../domain/trail/encoding.ts";
import {
  consistencySpans,
  type Hash,
  isConsistent,
  spanHash,
  type TreeHasher,
  treeHash,
} from "../../domain/trail/merkle.ts";
import { hashInTiles, type Tile, tileAt, tilePath, tilesOf, tileWidth } from "../../domain/trail/tile.ts";
import type { FullTile, StoredCheckpoint, TrailRepository } from "./trail-repository.ts";

export type Head = Pick<StoredCheckpoint, "size" | "root">;

/** A tree that grows at its end, known by the last tile of each level, which is never full. */
export interface Tree {
  readonly size: number;
  /** From level 0 upwards, each with 0 to 255 hashes. */
  readonly lastTiles: readonly (readonly Hash[])[];
  /** The same of all trees that have grown from one that was read. */
  readonly lineage: object;
  root(): Hash;
  /** The tree with these entries more, and the tiles that they complete. This tree stays as it is. */
  with(leaves: readonly Hash[]): { readonly tree: Tree; readonly tiles: readonly FullTile[] };
}

function makeTree(
  hasher: TreeHasher,
  size: number,
  lastTiles: readonly (readonly Hash[])[],
  lineage: object,
): Tree {
  const bytes = ({ level }: Tile) => joined(lastTiles[level] ?? []);
  let root: Hash | undefined;
  return {
    size,
    lastTiles,
    lineage,
    // All subtrees of which the root consists lie in the last tiles.
    root() {
      root ??= treeHash(hasher, size, hashInTiles(hasher, size, bytes));
      return root;
    },

    with(leaves) {
      const levels = lastTiles.map(tile => [...tile]);
      const tiles: FullTile[] = [];
      const push = (level: number, hash: Hash, count: number): void => {
        levels[level] ??= [];
        const tile = levels[level];
        tile.push(hash);
        if (tile.length < tileWidth) return;
        levels[level] = [];
        const roots = rootsOfTile(hasher, tile);
        const index = count / tileWidth - 1;
        tiles.push({ level, index, ...roots });
        push(level + 1, roots.root, index + 1);
      };
      for (const [at, leaf] of leaves.entries()) push(0, leaf, size + at + 1);
      return { tree: makeTree(hasher, size + leaves.length, levels, lineage), tiles };
    },
  };
}

/** The roots of the 16 subtrees of 16 hashes of a full tile, and its own. */
export function rootsOfTile(hasher: TreeHasher, tile: readonly Hash[]) {
  const sixteenths = hasher.above(joined(tile), 4);
  return { sixteenths, root: hasher.above(sixteenths, 4) };
}

export function joined(hashes: readonly Hash[]): Uint8Array {
  const bytes = new Uint8Array(32 * hashes.length);
  for (const [at, hash] of hashes.entries()) bytes.set(hash, 32 * at);
  return bytes;
}

/** The hashes of a tile, as they are stored. Throws TrailError where one is missing. */
export async function readTile(trail: TrailRepository, { level, index, width }: Tile): Promise<Hash[]> {
  const from = index * tileWidth;
  const hashes =
    level === 0
      ? (await trail.entries(from, from + width)).map(({ hash }) => hash)
      : (await trail.tiles(level - 1, from, from + width)).map(({ root }) => root);
  if (hashes.length !== width) throw new TrailError(`tile ${tilePath({ level, index, width })} is not whole`);
  return hashes;
}

/** Reads the tree of a size. Throws TrailError where an entry or a tile of it is missing. */
export async function readTree(trail: TrailRepository, hasher: TreeHasher, size: number): Promise<Tree> {
  const lastTiles: Hash[][] = [];
  for (let level = 0; size >= tileWidth ** level; level += 1) {
    const last = tileAt(level, Math.floor(size / tileWidth ** (level + 1)), size);
    lastTiles.push(last === undefined ? [] : await readTile(trail, last));
  }
  return makeTree(hasher, size, lastTiles, {});
}

/**
 * Whether the tree begins with the tree of this head, by the consistency proof between the two (RFC 6962, section
 * 2.1.2), which is put together from what is stored.
 */
export async function extendsHead(
  trail: TrailRepository,
  hasher: TreeHasher,
  { size, root }: Head,
  tree: Tree,
): Promise<boolean> {
  if (size > tree.size) return false;
  if (size === 0) return true;
  const spans = consistencySpans(size, tree.size);
  const tiles = new Map<string, Uint8Array>();
  for (const tile of tilesOf(spans, tree.size)) {
    tiles.set(tilePath(tile), joined(await readTile(trail, tile)));
  }
  const hashAt = hashInTiles(hasher, tree.size, tile => tiles.get(tilePath(tile)) as Uint8Array);
  const proof = spans.map(span => spanHash(hasher, span, hashAt));
  return isConsistent(hasher, size, tree.size, proof, root, tree.root());
}
