import type { Head } from "../../domain/trail/checkpoint.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import {
  type Frontier,
  type Hash,
  hashLength,
  joinHashes,
  makeFrontier,
  type Node,
  nodesOf,
  type Span,
  type TreeHasher,
} from "../../domain/trail/merkle.ts";
import { makePrefixCheck } from "../../domain/trail/verification.ts";
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
    hashes[at] = Buffer.concat(groups.map(group => rootOf(hasher, group)));
  }
  return hashes;
}

/** The root of a perfect subtree of these hashes. */
function rootOf(hasher: TreeHasher, hashes: Uint8Array): Hash {
  if (hashes.length === hashLength) return hashes;
  const half = hashes.length / 2;
  return hasher.node(rootOf(hasher, hashes.subarray(0, half)), rootOf(hasher, hashes.subarray(half)));
}

/**
 * The hashes of perfect subtrees of the stored tree. All of the tree's mathematics asks storage this one question. Throws
 * TrailError where an entry is missing.
 */
export async function readHashes(
  ledger: Hashes,
  hasher: TreeHasher,
  nodes: readonly Node[],
): Promise<Hash[]> {
  const ranges = nodes.map(({ level, index }) => {
    const height = level % storedHeight;
    return { level: level - height, from: index * 2 ** height, to: (index + 1) * 2 ** height };
  });
  return (await readStored(ledger, hasher, ranges)).map(hashes => rootOf(hasher, hashes));
}

/** The hashes of spans of the stored tree, with one question. */
export async function readSpans(ledger: Hashes, hasher: TreeHasher, spans: readonly Span[]): Promise<Hash[]> {
  const nodes = spans.map(nodesOf);
  const hashes = await readHashes(ledger, hasher, nodes.flat());
  return nodes.map(({ length }) => joinHashes(hasher, hashes.splice(0, length)));
}

/** The stored tree of a size, as what grows on. Throws TrailError. */
export async function readFrontier(ledger: Hashes, hasher: TreeHasher, size: number): Promise<Frontier> {
  const hashes = await readHashes(ledger, hasher, nodesOf({ from: 0, to: size }));
  return makeFrontier(hasher, { size, hashes });
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
  const nodes = [...nodesOf({ from: 0, to: older.size }), ...nodesOf({ from: older.size, to: tree.size })];
  const check = makePrefixCheck([older, tree], makeFrontier(hasher));
  for (const [at, hash] of (await readHashes(ledger, hasher, nodes)).entries())
    check.add(hash, nodes[at]?.level);
  return check.matches(older) && check.matches(tree);
}
