import { TrailError } from "../../domain/trail/encoding.ts";
import {
  consistencySpans,
  type Hash,
  isConsistent,
  spanHash,
  type TreeHasher,
  treeHash,
} from "../../domain/trail/merkle.ts";
import {
  hashInTiles,
  hashLength,
  type Tile,
  tileAt,
  tilePath,
  tilesOf,
  tileWidth,
} from "../../domain/trail/tile.ts";
import type { FullTile, StoredCheckpoint, TrailRepository } from "./trail-repository.ts";

const tileBytes = tileWidth * hashLength;

export type Head = Pick<StoredCheckpoint, "size" | "root">;

/** A tree that grows at its end, known by the last tile of each level, which is never full. */
export interface Tree {
  readonly size: number;
  /** From level 0 upwards, each with 0 to 255 hashes, one after the other. */
  readonly lastTiles: readonly Uint8Array[];
  /** The same of all trees that have grown from one that was read. */
  readonly lineage: object;
  root(): Hash;
  /**
   * The tree with these entries more, and the tiles that they complete. This tree stays as it is.
   *
   * @param leaves their hashes, one after the other
   */
  with(leaves: Uint8Array): { readonly tree: Tree; readonly tiles: readonly FullTile[] };
}

function makeTree(hasher: TreeHasher, size: number, lastTiles: readonly Uint8Array[], lineage: object): Tree {
  const read = ({ level }: Tile) => lastTiles[level] ?? new Uint8Array();
  let root: Hash | undefined;
  return {
    size,
    lastTiles,
    lineage,
    // All subtrees of which the root consists lie in the last tiles.
    root() {
      root ??= treeHash(hasher, size, hashInTiles(hasher, size, read));
      return root;
    },

    with(leaves) {
      const levels: Uint8Array[] = [...lastTiles];
      const tiles: FullTile[] = [];
      let added: Uint8Array = leaves;
      for (let level = 0; added.length > 0; level += 1) {
        const hashes = Buffer.concat([levels[level] ?? new Uint8Array(), added]);
        const roots: Hash[] = [];
        let at = 0;
        for (; at + tileBytes <= hashes.length; at += tileBytes) {
          const index = Math.floor(size / tileWidth ** (level + 1)) + roots.length;
          const tile = { level, index, ...rootsOfTile(hasher, hashes.subarray(at, at + tileBytes)) };
          tiles.push(tile);
          roots.push(tile.root);
        }
        levels[level] = hashes.subarray(at);
        added = Buffer.concat(roots);
      }
      return { tree: makeTree(hasher, size + leaves.length / hashLength, levels, lineage), tiles };
    },
  };
}

/** The roots of the 16 subtrees of 16 hashes of a full tile, and its own. */
export function rootsOfTile(hasher: TreeHasher, tile: Uint8Array) {
  const sixteenths = hasher.above(tile, 4);
  return { sixteenths, root: hasher.above(sixteenths, 4) };
}

/** The hashes of a tile, one after the other, as they are stored. Throws TrailError where one is missing. */
export async function readTile(trail: TrailRepository, { level, index, width }: Tile): Promise<Uint8Array> {
  const from = index * tileWidth;
  const hashes =
    level === 0
      ? (await trail.entries(from, from + width)).map(({ hash }) => hash)
      : (await trail.tiles(level - 1, from, from + width)).map(({ root }) => root);
  if (hashes.length !== width || hashes.some(({ length }) => length !== hashLength)) {
    throw new TrailError(`tile ${tilePath({ level, index, width })} is not whole`);
  }
  return Buffer.concat(hashes);
}

/** Reads the tree of a size. Throws TrailError where an entry or a tile of it is missing. */
export async function readTree(trail: TrailRepository, hasher: TreeHasher, size: number): Promise<Tree> {
  const lastTiles: Uint8Array[] = [];
  for (let level = 0; size >= tileWidth ** level; level += 1) {
    const last = tileAt(level, Math.floor(size / tileWidth ** (level + 1)), size);
    lastTiles.push(last === undefined ? new Uint8Array() : await readTile(trail, last));
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
    tiles.set(tilePath(tile), await readTile(trail, tile));
  }
  const hashAt = hashInTiles(hasher, tree.size, tile => tiles.get(tilePath(tile)) as Uint8Array);
  const proof = spans.map(span => spanHash(hasher, span, hashAt));
  return isConsistent(hasher, size, tree.size, proof, root, tree.root());
}
