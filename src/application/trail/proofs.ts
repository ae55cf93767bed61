import { DomainError, notFound } from "../../domain/error.ts";
import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import {
  type HashAt,
  inclusionSpans,
  isIncluded,
  type Node,
  spanHash,
  type TreeHasher,
} from "../../domain/trail/merkle.ts";
import type { SignerKey } from "../../domain/trail/note.ts";
import { formatProof } from "../../domain/trail/proof.ts";
import { hashInTiles, type Tile, tileOfNode, tilePath, tilesOf, tileWidth } from "../../domain/trail/tile.ts";
import type { EventLog } from "../ports.ts";
import type { makeSigning, SignedTree } from "./signing.ts";
import type { EntryPlace, TrailRepository } from "./trail-repository.ts";
import { fold, joined, readTile, readTree, type Tree } from "./tree.ts";

/** Full tiles above level 0 whose hashes are kept: 65,536 entries and some 30 KB each. */
const tilesAtMost = 256;

const notSigned = () => new DomainError("NOT_FOUND", "The trail is not signed");
const notYet = () => new DomainError("NOT_FOUND", "Log is not in the trail yet", { retryAfterSeconds: 1 });

export interface ReaderPorts {
  readonly trail: TrailRepository;
  readonly hasher: TreeHasher;
  readonly key: SignerKey | undefined;
  readonly events: EventLog;
  readonly signing: Pick<ReturnType<typeof makeSigning>, "newest" | "distrust">;
}

/**
 * Proofs that logs are in the tree of the newest checkpoint. The hashes that a proof consists of come from three places,
 * so that none is computed from more than 16 hashes each time: within the entry's own tile from its 16 neighbours and
 * the roots of sixteenths, at the right edge from the signed tree, and from full tiles above, which are kept.
 */
export function makeProofs({ trail, hasher, key, events, signing }: ReaderPorts) {
  const edges = new WeakMap<Tree, HashAt>();
  const upperTiles = new Map<string, HashAt>();

  /** Of the last tiles of a tree. */
  function edgeOf(tree: Tree): HashAt {
    const known = edges.get(tree);
    if (known !== undefined) return known;
    const bytes = tree.lastTiles.map(joined);
    const hashAt = once(hashInTiles(hasher, tree.size, ({ level }) => bytes[level] ?? new Uint8Array()));
    edges.set(tree, hashAt);
    return hashAt;
  }

  async function loadUpper(tile: Tile, size: number): Promise<void> {
    const path = tilePath(tile);
    const known = upperTiles.get(path);
    upperTiles.delete(path);
    const bytes = known === undefined ? joined(await readTile(trail, tile)) : new Uint8Array();
    upperTiles.set(path, known ?? once(hashInTiles(hasher, size, () => bytes)));
    const [oldest] = upperTiles.keys();
    if (upperTiles.size > tilesAtMost && oldest !== undefined) upperTiles.delete(oldest);
  }

  /** Of a full tile of level 0, around an entry. */
  function inOwnTile({ index, neighbours, sixteenths }: EntryPlace, { level, index: at }: Node): Uint8Array {
    const isNear = level < 4;
    const bytes = isNear ? neighbours : (sixteenths ?? new Uint8Array());
    const width = 2 ** (isNear ? level : level - 4);
    const first = isNear
      ? at * width - (index - (index % 16))
      : at * width - 16 * Math.floor(index / tileWidth);
    if (first < 0 || (first + width) * 32 > bytes.length)
      throw new TrailError(`tile ${tilePath(tileOfNode({ level: 0, index }, index + 1))} is not whole`);
    return fold(
      hasher,
      Array.from({ length: width }, (_, n) => bytes.subarray((first + n) * 32, (first + n + 1) * 32)),
    );
  }

  async function hashesOf(place: EntryPlace, tree: Tree): Promise<Uint8Array[]> {
    const { size } = tree;
    const spans = inclusionSpans(place.index, size);
    const edge = edgeOf(tree);
    const full = (tile: Tile) => tile.width === tileWidth;
    for (const tile of tilesOf(spans, size)) if (tile.level > 0 && full(tile)) await loadUpper(tile, size);
    const hashAt: HashAt = node => {
      const tile = tileOfNode(node, size);
      if (!full(tile)) return edge(node);
      return tile.level === 0 ? inOwnTile(place, node) : (upperTiles.get(tilePath(tile)) ?? edge)(node);
    };
    return spans.map(span => spanHash(hasher, span, hashAt));
  }

  /** Undefined where the stored trail is not whole. */
  async function proofOf(place: EntryPlace, { tree, size }: SignedTree): Promise<Uint8Array[] | undefined> {
    try {
      return await hashesOf(place, tree ?? (await readTree(trail, hasher, size)));
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
      const hashes = await proofOf(place, signed);
      if (hashes === undefined || !isIncluded(hasher, index, signed.size, leaf, hashes, signed.root)) {
        signing.distrust(`log ${id}, entry ${index}, which is not in the tree that was signed`);
        throw new DomainError("GONE", `Log ${id}, entry ${index} of the trail, is not what was signed`);
      }
      return formatProof({ entry, index, hashes, checkpoint: signed.note });
    },
  };
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
