import { DomainError, notFound } from "../../domain/error.ts";
import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import {
  type Hash,
  type HashAt,
  inclusionSpans,
  isIncluded,
  type Node,
  spanHash,
  type TreeHasher,
  treeHash,
} from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import { formatProof } from "../../domain/trail/proof.ts";
import { hashInTiles, type Tile, tileOfNode, tilePath, tilesOf, tileWidth } from "../../domain/trail/tile.ts";
import type { EventLog } from "../ports.ts";
import type { makeSigning, SignedTree } from "./signing.ts";
import type { EntryPlace, TrailRepository } from "./trail-repository.ts";
import { readTile, readTree, type Tree } from "./tree.ts";

/** Full tiles above level 0 whose hashes are kept: 65,536 entries and some 30 KB each. */
const upperTilesAtMost = 256;
/** Tiles of level 0 of which is kept what the proofs of their entries share: some 1 KB each. */
const tilesAtMost = 4_096;

const notSigned = () => new DomainError("NOT_FOUND", "The trail is not signed");
const notYet = () => new DomainError("NOT_FOUND", "Log is not in the trail yet", { retryAfterSeconds: 1 });

export interface ReaderPorts {
  readonly trail: TrailRepository;
  readonly hasher: TreeHasher;
  readonly key: SignerKey | undefined;
  readonly events: EventLog;
  readonly signing: Pick<ReturnType<typeof makeSigning>, "newest" | "distrust">;
}

/** A tile of 256 entries, or the last one of fewer. */
interface OwnTile {
  readonly root: Hash;
  /** Of subtrees of the tile: of 16 entries and more, and of smaller ones in the last tile. */
  readonly hashAt: HashAt;
}

/** A tile that was found in a signed tree. */
interface FoundTile extends OwnTile {
  readonly width: number;
  /** The end of each proof, from the sibling of the tile's root up. */
  readonly above: readonly Hash[];
}

/** What is known of a signed tree. */
interface KnownTree {
  /** Of the right edge. */
  readonly edge: HashAt;
  readonly tiles: Map<number, FoundTile>;
}

/**
 * Proofs that logs are in the tree of the newest checkpoint. The hashes of a proof come from four places, so that none
 * is computed from more than 16 hashes each time: those next to the entry from its 16 neighbours, those up to the root of
 * its tile from the roots of the tile's sixteenths, the others from full tiles above and from the right edge.
 */
export function makeProofs({ trail, hasher, key, events, signing }: ReaderPorts) {
  const knownTrees = new WeakMap<Tree, KnownTree>();
  /** Full tiles never change while a tree grows. Their roots are held against each tree, as what was stored may be wrong. */
  const fullTiles = new Map<number, OwnTile>();
  const upperTiles = new Map<string, Promise<HashAt>>();
  let lineage: object | undefined;

  function knownOf(tree: Tree): KnownTree {
    const known = knownTrees.get(tree);
    if (known !== undefined) return known;
    if (tree.lineage !== lineage) forgetTiles();
    lineage = tree.lineage;
    const { size, lastTiles } = tree;
    const edge = once(hashInTiles(hasher, size, ({ level }) => lastTiles[level] ?? new Uint8Array()));
    const found = { edge, tiles: new Map() };
    knownTrees.set(tree, found);
    return found;
  }

  function forgetTiles(): void {
    fullTiles.clear();
    upperTiles.clear();
  }

  async function upperTile(tile: Tile, size: number): Promise<HashAt> {
    const path = tilePath(tile);
    const known =
      upperTiles.get(path) ??
      readTile(trail, tile).then(hashes => once(hashInTiles(hasher, size, () => hashes)));
    upperTiles.delete(path);
    keep(upperTiles, upperTilesAtMost, path, known);
    try {
      return await known;
    } catch (error) {
      upperTiles.delete(path);
      throw error;
    }
  }

  /** The hashes of a proof above the root of a tile, which is an entry of the tree that tiles make. */
  async function hashesAbove(index: number, { size }: Tree, edge: HashAt): Promise<Hash[]> {
    const spans = inclusionSpans(index, tilesIn(size)).map(({ from, to }) => ({
      from: from * tileWidth,
      to: Math.min(to * tileWidth, size),
    }));
    const upper = new Map<string, HashAt>();
    for (const tile of tilesOf(spans, size))
      if (tile.width === tileWidth) upper.set(tilePath(tile), await upperTile(tile, size));
    return spans.map(span =>
      spanHash(hasher, span, node => (upper.get(tilePath(tileOfNode(node, size))) ?? edge)(node)),
    );
  }

  /** Throws TrailError where the stored trail is not whole, or is not the tree that was signed. */
  async function tileOf(index: number, tree: Tree, root: Hash): Promise<FoundTile> {
    const { edge, tiles } = knownOf(tree);
    const known = tiles.get(index);
    if (known !== undefined) return known;
    const width = Math.min(tileWidth, tree.size - index * tileWidth);
    const inTile = await hashesOfTile(index, width, tree);
    const above = await hashesAbove(index, tree, edge);
    if (!isIncluded(hasher, index, tilesIn(tree.size), inTile.root, above, root)) {
      forgetTiles();
      throw new TrailError(`tile ${index} is not in the tree that was signed`);
    }
    const found = { ...inTile, width, above };
    keep(tiles, tilesAtMost, index, found);
    return found;
  }

  async function hashesOfTile(index: number, width: number, { lastTiles }: Tree): Promise<OwnTile> {
    if (width < tileWidth) {
      const [hashes = new Uint8Array()] = lastTiles;
      const hashAt = once(hashInTiles(hasher, width, () => hashes));
      return { root: treeHash(hasher, width, hashAt), hashAt };
    }
    const known = fullTiles.get(index);
    if (known !== undefined) return known;
    const stored = await trail.tileOfEntries(index);
    if (stored === undefined) throw new TrailError(`tile ${index} is not whole`);
    const levels = [stored.sixteenths];
    for (let level = 4; level < 8; level += 1) levels.push(hasher.above(levels.at(-1) as Uint8Array, 1));
    const own: OwnTile = {
      root: levels[4] as Hash,
      hashAt: ({ level, index: at }) => hashesIn(levels[level - 4] as Uint8Array, at, 1),
    };
    keep(fullTiles, tilesAtMost, index, own);
    return own;
  }

  /** Undefined where the entry is not in the tree that was signed, or the stored trail is not whole. */
  async function proofOf(
    place: EntryPlace,
    leaf: Hash,
    signed: SignedTree,
  ): Promise<readonly Hash[] | undefined> {
    try {
      const tree = signed.tree ?? (await readTree(trail, hasher, signed.size));
      const { width, root, hashAt, above } = await tileOf(
        Math.floor(place.index / tileWidth),
        tree,
        signed.root,
      );
      const isNear = ({ level }: Node) => level < 4 && width === tileWidth;
      const inTile = place.index % tileWidth;
      const below = inclusionSpans(inTile, width).map(span =>
        spanHash(hasher, span, node => (isNear(node) ? nearHash(hasher, place, node) : hashAt(node))),
      );
      return isIncluded(hasher, inTile, width, leaf, below, root) ? [...below, ...above] : undefined;
    } catch (error) {
      if (error instanceof TrailError) return undefined;
      throw error;
    }
  }

  return {
    /** The text of a tlog-proof that holds. Throws NOT_FOUND, and GONE where the log is not what was signed. */
    async ofLog(id: number): Promise<string> {
      if (key === undefined) throw notSigned();
      const signed = signing.newest();
      const place = await trail.placeOfLog(id);
      if (place === undefined && (await trail.records("log", [id])).length === 0) throw notFound("Log");
      if (place === undefined || signed?.note === undefined || place.index >= signed.size) throw notYet();
      const { index, entry } = place;
      const leaf = entry === undefined ? undefined : hasher.leaf(entry);
      if (entry === undefined || leaf === undefined || !equalBytes(leaf, place.hash)) {
        const what = entry === undefined ? "removed" : "changed";
        events.error("trail mismatch", { kind: "log", id, what });
        throw new DomainError("GONE", `Log ${id}, entry ${index} of the trail, was ${what}`);
      }
      const hashes = await proofOf(place, leaf, signed);
      if (hashes === undefined) {
        signing.distrust(`log ${id}, entry ${index}, which is not in the tree that was signed`);
        throw new DomainError("GONE", `Log ${id}, entry ${index} of the trail, is not what was signed`);
      }
      return formatProof({ entry, index, hashes, checkpoint: signed.note });
    },
  };
}

const tilesIn = (size: number): number => Math.ceil(size / tileWidth);

const hashesIn = (bytes: Uint8Array, from: number, count: number): Uint8Array =>
  bytes.subarray(from * 32, (from + count) * 32);

/** Of a subtree of less than 16 entries of a full tile, from the 16 that the entry is one of. */
function nearHash(hasher: TreeHasher, { index, neighbours }: EntryPlace, { level, index: at }: Node): Hash {
  const width = 2 ** level;
  const first = at * width - ((index % tileWidth) - (index % 16));
  if ((first + width) * 32 > neighbours.length)
    throw new TrailError(`tile ${Math.floor(index / tileWidth)} is not whole`);
  return hasher.above(hashesIn(neighbours, first, width), level);
}

/** Keeps the value as the newest of at most so many. */
function keep<Key, Value>(map: Map<Key, Value>, most: number, key: Key, value: Value): void {
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

/** Computes each hash once. */
function once(hashAt: HashAt): HashAt {
  const known = new Map<number, Uint8Array>();
  return node => {
    const key = node.level * 2 ** 46 + node.index;
    const hash = known.get(key) ?? hashAt(node);
    known.set(key, hash);
    return hash;
  };
}
