import type { Sha256 } from "./crypto.ts";
import { equalBytes } from "./encoding.ts";

/** The Merkle tree of RFC 6962, section 2.1. Sizes and indexes are safe integers, so they take no bit operators. */
export type Hash = Uint8Array;

/** A perfect subtree: the entries from `index * 2 ** level` up to `(index + 1) * 2 ** level`. */
export interface Node {
  readonly level: number;
  readonly index: number;
}

/** The entries from `from` up to, and without, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The hash of a perfect subtree. */
export type HashAt = (node: Node) => Hash;

export interface TreeHasher {
  leaf(entry: Uint8Array): Hash;
  node(left: Hash, right: Hash): Hash;
  /** The hashes so many levels above hashes that stand one after the other. */
  above(hashes: Uint8Array, levels: number): Uint8Array;
  /** The root of the tree without entries. */
  readonly empty: Hash;
}

export function makeTreeHasher(sha256: Sha256): TreeHasher {
  // Both are reused, because a million entries are two million calls.
  const pair = new Uint8Array(65);
  pair[0] = 1;
  let prefixed = new Uint8Array(4_096);
  return {
    leaf(entry) {
      if (prefixed.length < 1 + entry.length) prefixed = new Uint8Array(1 + entry.length);
      prefixed.set(entry, 1);
      return sha256(prefixed.subarray(0, 1 + entry.length));
    },
    node(left, right) {
      pair.set(left, 1);
      pair.set(right, 33);
      return sha256(pair);
    },
    above(hashes, levels) {
      let below = hashes;
      for (let level = 0; level < levels; level += 1) {
        const above = new Uint8Array(below.length / 2);
        for (let to = 0; to < above.length; to += 32) {
          for (let at = 0; at < 64; at += 1) pair[at + 1] = below[2 * to + at] as number;
          sha256(pair, above, to);
        }
        below = above;
      }
      return below;
    },
    empty: sha256(new Uint8Array()),
  };
}

/** A tree that grows at its end, known by the roots of its perfect subtrees only (a "compact range"). */
export interface Frontier {
  readonly size: number;
  /** From left to right, so the largest first. Together with the size, this is what it takes to go on later. */
  readonly hashes: readonly Hash[];
  append(leaf: Hash): void;
  root(): Hash;
}

/** @param start the size and hashes of a tree that grows on */
export function makeFrontier(
  hasher: TreeHasher,
  start: Pick<Frontier, "size" | "hashes"> = { size: 0, hashes: [] },
): Frontier {
  const hashes = [...start.hashes];
  let size = start.size;
  return {
    get size() {
      return size;
    },
    get hashes() {
      return [...hashes];
    },
    append(leaf) {
      let hash = leaf;
      for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2)
        hash = hasher.node(hashes.pop() as Hash, hash);
      hashes.push(hash);
      size += 1;
    },
    root: () => (size === 0 ? hasher.empty : joined(hasher, hashes)),
  };
}

/** The perfect subtrees that a span consists of, from left to right. */
export function nodesOf({ from, to }: Span): Node[] {
  const nodes: Node[] = [];
  for (let at = from; at < to; ) {
    let level = 0;
    for (let width = 2; at % width === 0 && at + width <= to; width *= 2) level += 1;
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The Merkle tree hash of a span whose first entry is where a subtree of a tree begins, as in all spans below. */
export const spanHash = (hasher: TreeHasher, span: Span, hashAt: HashAt): Hash =>
  joined(hasher, nodesOf(span).map(hashAt));

export const treeHash = (hasher: TreeHasher, size: number, hashAt: HashAt): Hash =>
  size === 0 ? hasher.empty : spanHash(hasher, { from: 0, to: size }, hashAt);

const joined = (hasher: TreeHasher, hashes: readonly Hash[]): Hash =>
  hashes.reduceRight((right, left) => hasher.node(left, right));

/** Where the left subtree of two or more entries ends: the largest power of two below their number. */
function leftSize(size: number): number {
  let width = 1;
  while (width * 2 < size) width *= 2;
  return width;
}

/**
 * The subtrees whose hashes are the inclusion proof of an entry, PATH(index, D[size]) of section 2.1.1: from the leaf's
 * sibling up to the root's child.
 */
export function inclusionSpans(index: number, size: number): Span[] {
  if (!(index >= 0 && index < size)) throw new RangeError("the tree has no such entry");
  const path = (from: number, to: number): Span[] => {
    if (to - from === 1) return [];
    const middle = from + leftSize(to - from);
    return index < middle
      ? [...path(from, middle), { from: middle, to }]
      : [...path(middle, to), { from, to: middle }];
  };
  return path(0, size);
}

/**
 * The subtrees whose hashes are the consistency proof between two sizes of a tree, PROOF(oldSize, D[newSize]) of
 * section 2.1.2.
 */
export function consistencySpans(oldSize: number, newSize: number): Span[] {
  if (!(oldSize > 0 && oldSize <= newSize)) throw new RangeError("the tree had no such size");
  const subproof = (from: number, to: number, isOldTree: boolean): Span[] => {
    if (oldSize === to) return isOldTree ? [] : [{ from, to }];
    const middle = from + leftSize(to - from);
    return oldSize <= middle
      ? [...subproof(from, middle, isOldTree), { from: middle, to }]
      : [...subproof(middle, to, false), { from, to: middle }];
  };
  return subproof(0, newSize, true);
}

const isHash = ({ length }: Uint8Array): boolean => length === 32;

/** Whether the proof leads from the leaf at this index to the root of the tree of this size. */
export function isIncluded(
  hasher: TreeHasher,
  index: number,
  size: number,
  leaf: Hash,
  proof: readonly Hash[],
  root: Hash,
): boolean {
  if (!(index >= 0 && index < size) || ![leaf, ...proof].every(isHash)) return false;
  const rest = [...proof];
  // From the root down, which takes the proof from its end.
  const climb = (at: number, width: number): Hash | undefined => {
    if (width === 1) return leaf;
    const left = leftSize(width);
    const sibling = rest.pop();
    const child = at < left ? climb(at, left) : climb(at - left, width - left);
    if (sibling === undefined || child === undefined) return undefined;
    return at < left ? hasher.node(child, sibling) : hasher.node(sibling, child);
  };
  const found = climb(index, size);
  return found !== undefined && rest.length === 0 && equalBytes(found, root);
}

/** Whether the proof shows that the tree of the new size begins with the tree of the old size. */
export function isConsistent(
  hasher: TreeHasher,
  oldSize: number,
  newSize: number,
  proof: readonly Hash[],
  oldRoot: Hash,
  newRoot: Hash,
): boolean {
  if (oldSize === newSize) return oldSize > 0 && proof.length === 0 && equalBytes(oldRoot, newRoot);
  if (!(oldSize > 0 && oldSize < newSize) || ![oldRoot, ...proof].every(isHash)) return false;
  const rest = [...proof];
  // The roots of the old and the new tree below one node, from the root down.
  const climb = (old: number, width: number, isOldTree: boolean): readonly [Hash, Hash] | undefined => {
    if (old === width) {
      const hash = isOldTree ? oldRoot : rest.pop();
      return hash && [hash, hash];
    }
    const left = leftSize(width);
    const sibling = rest.pop();
    const below = old <= left ? climb(old, left, isOldTree) : climb(old - left, width - left, false);
    if (sibling === undefined || below === undefined) return undefined;
    const [before, after] = below;
    return old <= left
      ? [before, hasher.node(after, sibling)]
      : [hasher.node(sibling, before), hasher.node(sibling, after)];
  };
  const found = climb(oldSize, newSize, true);
  if (found === undefined || rest.length > 0) return false;
  return equalBytes(found[0], oldRoot) && equalBytes(found[1], newRoot);
}
