import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import {
  type Frontier,
  type Hash,
  type HashAt,
  makeFrontier,
  type Node,
  nodesOf,
  type TreeHasher,
} from "../../domain/trail/merkle.ts";
import {
  hashInTile,
  hashLength,
  type Tile,
  tileHeight,
  tileOfNode,
  tilePath,
  tileWidth,
} from "../../domain/trail/tile.ts";
import type { Head, Ledger } from "./ports.ts";

/** Hashes of perfect subtrees by their places. They never change while the tree grows. */
export type NodeCache = Map<string, Hash>;

/** The hashes of a tile, one after the other, as they are stored. Throws TrailError where one is missing. */
export async function readTile(ledger: Ledger, { level, index, width }: Tile): Promise<Uint8Array> {
  const from = index * tileWidth;
  const hashes = await ledger.hashes(level, from, from + width);
  if (hashes.length === width * hashLength) return hashes;
  throw new TrailError(`tile ${tilePath({ level, index, width })} is not whole`);
}

/**
 * The hashes of perfect subtrees of the stored tree, computed from its tiles. All of the tree's mathematics asks storage
 * this one question. Throws TrailError where a tile is not whole.
 */
export async function readHashes(
  ledger: Ledger,
  hasher: TreeHasher,
  size: number,
  nodes: readonly Node[],
  cache: NodeCache = new Map(),
): Promise<HashAt> {
  const tiles = new Map<string, Uint8Array>();
  const hashes: NodeCache = new Map();
  for (const node of nodes) {
    const place = placeOf(node);
    const tile = tileOfNode(node, size);
    let hash = cache.get(place);
    if (hash === undefined) {
      const bytes = tiles.get(tilePath(tile)) ?? (await readTile(ledger, tile));
      tiles.set(tilePath(tile), bytes);
      hash = hashInTile(hasher, node, tile, bytes);
      // Below the root of a full tile of entries are many more nodes than are asked for twice.
      if (node.level >= tileHeight || tile.width < tileWidth) cache.set(place, hash);
    }
    hashes.set(place, hash);
  }
  return node => hashes.get(placeOf(node)) as Hash;
}

const placeOf = ({ level, index }: Node): string => `${level}/${index}`;

/** The stored tree of a size, as what grows on. Throws TrailError. */
export async function readFrontier(ledger: Ledger, hasher: TreeHasher, size: number): Promise<Frontier> {
  const nodes = nodesOf({ from: 0, to: size });
  return makeFrontier(hasher, { size, hashes: nodes.map(await readHashes(ledger, hasher, size, nodes)) });
}

/**
 * Whether the tree begins with an older one: the stored subtrees of the older one give its root, and with those after them
 * that of the tree. Throws TrailError.
 */
export async function extendsHead(
  ledger: Ledger,
  hasher: TreeHasher,
  older: Head,
  tree: Head,
): Promise<boolean> {
  if (older.size > tree.size) return false;
  const [before, after] = [
    nodesOf({ from: 0, to: older.size }),
    nodesOf({ from: older.size, to: tree.size }),
  ];
  const hashAt = await readHashes(ledger, hasher, tree.size, [...before, ...after]);
  const frontier = makeFrontier(hasher, { size: older.size, hashes: before.map(hashAt) });
  const isOlder = equalBytes(frontier.root(), older.root);
  for (const node of after) frontier.append(hashAt(node), node.level);
  return isOlder && equalBytes(frontier.root(), tree.root);
}
