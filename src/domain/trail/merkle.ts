import { sha256 } from "./crypto.ts";
import { equalBytes } from "./encoding.ts";

/** The Merkle tree of RFC 6962, section 2.1. Sizes and indexes are safe integers, so they take no bit operators. */
export type Hash = Uint8Array;
export const hashLength = 32;

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

// Both are reused, because a million entries are two million calls. The first byte tells a leaf (0) from a node (1).
const shortLeaf = new Uint8Array(4_096);
const pair = new Uint8Array(65).fill(1, 0, 1);

export function leafHash(entry: Uint8Array): Hash {
  const { length } = entry;
  const prefixed = length < shortLeaf.length ? shortLeaf : new Uint8Array(1 + length);
  prefixed.set(entry, 1);
  return sha256(prefixed.subarray(0, 1 + length));
}

export function nodeHash(left: Hash, right: Hash): Hash {
  pair.set(left, 1);
  pair.set(right, 33);
  return sha256(pair);
}

/** The root of the tree without entries. */
export const emptyRoot: Hash = sha256(new Uint8Array());

/**
 * A tree that grows at its end, with its head: size and root. Of its hashes it keeps only the roots of its largest perfect
 * subtrees (its "compact range"), one for each 1 in the size as a binary number: what is appended is hashed with these alone.
 */
export interface Frontier {
  readonly size: number;
  /** From left to right, so the largest first. Together with the size, this is what it takes to go on later. */
  readonly hashes: readonly Hash[];
  /** @param level of the perfect subtree that has this hash, and that begins where the tree ends; 0 for a leaf */
  append(hash: Hash, level?: number): void;
  /** Computed anew each time, from up to 53 hashes. */
  readonly root: Hash;
}

/**
 * @param start the size and hashes of a tree that grows on
 * @param take called with each subtree of two or more entries as soon as it is perfect
 */
export function makeFrontier(
  start: Pick<Frontier, "size" | "hashes"> = { size: 0, hashes: [] },
  take: (node: Node, hash: Hash) => void = () => {},
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
    append(appended, startLevel = 0) {
      let hash = appended;
      let level = startLevel;
      for (let rest = size / 2 ** startLevel; rest % 2 === 1; rest = (rest - 1) / 2) {
        hash = nodeHash(hashes.pop() as Hash, hash);
        level += 1;
        take({ level, index: (rest - 1) / 2 }, hash);
      }
      hashes.push(hash);
      size += 2 ** startLevel;
    },
    get root() {
      return size === 0 ? emptyRoot : joinHashes(hashes);
    },
  };
}

/** The fewest perfect subtrees that a span consists of, from left to right. */
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

/**
 * The Merkle tree hash of a span, from the hashes of its `nodesOf`. It is one only if these get smaller from left to right, as
 * for a span that begins with the first entry of the tree, and for those of `inclusionSpans`.
 */
export const joinHashes = (hashes: readonly Hash[]): Hash =>
  hashes.reduceRight((right, left) => nodeHash(left, right));

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

const isHash = ({ length }: Uint8Array): boolean => length === hashLength;

/** Whether the proof leads from the leaf at this index to the root of the tree of this size. */
export function isIncluded(index: number, size: number, leaf: Hash, proof: readonly Hash[], root: Hash) {
  if (!(index >= 0 && index < size) || ![leaf, ...proof].every(isHash)) return false;
  const rest = [...proof];
  // From the root down, which takes the proof from its end.
  const climb = (at: number, width: number): Hash | undefined => {
    if (width === 1) return leaf;
    const left = leftSize(width);
    const sibling = rest.pop();
    const child = at < left ? climb(at, left) : climb(at - left, width - left);
    if (sibling === undefined || child === undefined) return undefined;
    return at < left ? nodeHash(child, sibling) : nodeHash(sibling, child);
  };
  const found = climb(index, size);
  return found !== undefined && rest.length === 0 && equalBytes(found, root);
}
