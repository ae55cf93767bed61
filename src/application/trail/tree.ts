import type { Head } from "../../domain/trail/checkpoint.ts";
import { equalBytes, TrailError } from "../../domain/trail/encoding.ts";
import {
  type Frontier,
  type Hash,
  type HashAt,
  hashLength,
  makeFrontier,
  type Node,
  nodesOf,
  type TreeHasher,
} from "../../domain/trail/merkle.ts";
import type { HashRange, Ledger, StoredNode } from "./ports.ts";

/** Hashes are stored on every fourth level: a proof in a tree of a million entries then takes 60 hashes to compute, and not 250. */
const storedHeight = 4;
const groupSize = 2 ** storedHeight;

type Hashes = Pick<Ledger, "hashes" | "firstMissing">;

/** A tree that grows at its end, and what of it is to be stored. */
export function makeStoredTree(hasher: TreeHasher, start?: Pick<Frontier, "size" | "hashes">) {
  const nodes: StoredNode[] = [];
  const tree = makeFrontier(hasher, start, (node, hash) => {
    if (node.level % storedHeight === 0) nodes.push({ ...node, hash });
  });
  return { tree, nodes };
}

/**
 * Stored hashes, one after the other. Those that a process has left out, because it ended between the entries and them, are
 * computed from the ones below. Throws TrailError where an entry is missing.
 */
export async function readStored(
  ledger: Hashes,
  hasher: TreeHasher,
  ranges: readonly HashRange[],
): Promise<readonly Uint8Array[]> {
  const hashes = [...(await ledger.hashes(ranges))];
  for (const [at, { level, from, to }] of ranges.entries()) {
    if (hashes[at]?.length === (to - from) * hashLength) continue;
    if (level === 0) throw new TrailError(`entry ${await ledger.firstMissing(from, to)} was removed`);
    const below = Array.from({ length: to - from }, (_, n) => ({
      level: level - storedHeight,
      from: (from + n) * groupSize,
      to: (from + n + 1) * groupSize,
    }));
    const groups = await readStored(ledger, hasher, below);
    hashes[at] = Buffer.concat(groups.map(group => rootOf(hasher, group, 0, groupSize)));
  }
  return hashes;
}

/** The root of a perfect subtree of so many of these hashes. */
function rootOf(hasher: TreeHasher, hashes: Uint8Array, from: number, count: number): Hash {
  if (count === 1) return hashes.subarray(from * hashLength, (from + 1) * hashLength);
  const half = count / 2;
  return hasher.node(rootOf(hasher, hashes, from, half), rootOf(hasher, hashes, from + half, half));
}

/**
 * The hashes of perfect subtrees of the stored tree of a size. All of the tree's mathematics asks storage this one
 * question. Throws TrailError where an entry is missing.
 */
export async function readHashes(
  ledger: Hashes,
  hasher: TreeHasher,
  size: number,
  nodes: readonly Node[],
): Promise<HashAt> {
  const groups = new Map<string, HashRange>();
  for (const node of nodes) {
    const { place, level, group } = placeOf(node);
    const from = group * groupSize;
    const to = Math.min(from + groupSize, Math.floor(size / 2 ** level));
    groups.set(place, { level, from, to });
  }
  const stored = await readStored(ledger, hasher, [...groups.values()]);
  const hashes = new Map([...groups.keys()].map((place, at) => [place, stored[at] as Uint8Array]));
  return node => {
    const { place, first, group, count } = placeOf(node);
    return rootOf(hasher, hashes.get(place) as Uint8Array, first - group * groupSize, count);
  };
}

/** Where the stored hashes are that a node is computed from: so many of one group. */
function placeOf(node: Node) {
  const level = node.level - (node.level % storedHeight);
  const count = 2 ** (node.level - level);
  const first = node.index * count;
  const group = Math.floor(first / groupSize);
  return { place: `${level}/${group}`, level, count, first, group };
}

/** The stored tree of a size, as what grows on. Throws TrailError. */
export async function readFrontier(ledger: Hashes, hasher: TreeHasher, size: number): Promise<Frontier> {
  const nodes = nodesOf({ from: 0, to: size });
  return makeFrontier(hasher, { size, hashes: nodes.map(await readHashes(ledger, hasher, size, nodes)) });
}

/**
 * Whether the tree begins with an older one: the stored subtrees of the older one give its root, and with those after them
 * that of the tree. Throws TrailError.
 */
export async function extendsHead(
  ledger: Hashes,
  hasher: TreeHasher,
  older: Head,
  tree: Head,
): Promise<boolean> {
  if (older.size > tree.size) return false;
  const before = nodesOf({ from: 0, to: older.size });
  const after = nodesOf({ from: older.size, to: tree.size });
  const hashAt = await readHashes(ledger, hasher, tree.size, [...before, ...after]);
  const frontier = makeFrontier(hasher, { size: older.size, hashes: before.map(hashAt) });
  const isOlder = equalBytes(frontier.root(), older.root);
  for (const node of after) frontier.append(hashAt(node), node.level);
  return isOlder && equalBytes(frontier.root(), tree.root);
}
