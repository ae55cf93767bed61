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

/** Hashes are stored on every fourth level: a proof is then computed from some 40 of them, and not from 250. */
const storedHeight = 4;

type Hashes = Pick<Ledger, "hashes">;

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
    if (level === 0) throw new TrailError(`one of the entries ${from} to ${to - 1} was removed`);
    const width = 2 ** storedHeight;
    const below = { level: level - storedHeight, from: from * width, to: to * width };
    const [found = new Uint8Array()] = await readStored(ledger, hasher, [below]);
    hashes[at] = Buffer.concat(rootsOf(hasher, found, width));
  }
  return hashes;
}

/** The roots of perfect subtrees, each of so many of these hashes. */
function rootsOf(hasher: TreeHasher, hashes: Uint8Array, count: number): Hash[] {
  const roots: Hash[] = [];
  for (let at = 0; at < hashes.length; ) {
    const frontier = makeFrontier(hasher);
    for (; frontier.size < count; at += hashLength) frontier.append(hashes.subarray(at, at + hashLength));
    roots.push(frontier.root());
  }
  return roots;
}

/**
 * The hashes of perfect subtrees of the stored tree. All of the tree's mathematics asks storage this one question. Throws
 * TrailError where an entry is missing.
 */
export async function readHashes(
  ledger: Hashes,
  hasher: TreeHasher,
  nodes: readonly Node[],
): Promise<HashAt> {
  const parts = nodes.map(({ level, index }) => ({ index, level, count: 2 ** (level % storedHeight) }));
  const ranges = parts.map(({ level, index, count }) => ({
    level: level - (level % storedHeight),
    from: index * count,
    to: (index + 1) * count,
  }));
  const stored = await readStored(ledger, hasher, ranges);
  const placeOf = ({ level, index }: Node) => `${level}/${index}`;
  const found = new Map(
    parts.map((part, at) => [placeOf(part), rootsOf(hasher, stored[at] as Hash, part.count)[0] as Hash]),
  );
  return node => found.get(placeOf(node)) as Hash;
}

/** The stored tree of a size, as what grows on. Throws TrailError. */
export async function readFrontier(ledger: Hashes, hasher: TreeHasher, size: number): Promise<Frontier> {
  const nodes = nodesOf({ from: 0, to: size });
  return makeFrontier(hasher, { size, hashes: nodes.map(await readHashes(ledger, hasher, nodes)) });
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
  const hashAt = await readHashes(ledger, hasher, [...before, ...after]);
  const frontier = makeFrontier(hasher, { size: older.size, hashes: before.map(hashAt) });
  const isOlder = equalBytes(frontier.root(), older.root);
  for (const node of after) frontier.append(hashAt(node), node.level);
  return isOlder && equalBytes(frontier.root(), tree.root);
}
