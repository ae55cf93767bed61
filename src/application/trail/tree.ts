import type { Head } from "../../domain/trail/checkpoint.ts";
import { makePrefixCheck } from "../../domain/trail/comparison.ts";
import { TrailError } from "../../domain/trail/encoding.ts";
import {
  type Frontier,
  type Hash,
  hashLength,
  joinHashes,
  makeFrontier,
  type Node,
  nodeHash,
  nodesOf,
  type Span,
} from "../../domain/trail/merkle.ts";
import type { HashRange, Ledger, StoredNode } from "./ports.ts";

/** Hashes are stored on every fourth level: a proof in a tree of a million entries then takes 60 hashes to compute, and not 250. */
const storedHeight = 4;
const groupSize = 2 ** storedHeight;

/** A tree that grows at its end, and what of it is to be stored. */
export function makeGrowingTree(start?: Pick<Frontier, "size" | "hashes">) {
  const nodes: StoredNode[] = [];
  const tree = makeFrontier(start, (node, hash) => {
    if (node.level % storedHeight === 0) nodes.push({ ...node, hash });
  });
  return { tree, nodes };
}

/** The tree of the entries in the database. Its methods throw TrailError where an entry is missing. */
export function makeStoredTree(ledger: Pick<Ledger, "hashes" | "firstMissing">) {
  /**
   * Stored hashes, one after the other. Those that a process has left out, because it ended between the entries and them,
   * are computed from the ones below.
   */
  async function ranges(asked: readonly HashRange[]): Promise<readonly Uint8Array[]> {
    const found = [...(await ledger.hashes(asked))];
    for (const [at, { level, from, to }] of asked.entries()) {
      if (found[at]?.length === (to - from) * hashLength) continue;
      if (level === 0) throw new TrailError(`entry ${await ledger.firstMissing(from, to)} was removed`);
      const below = Array.from({ length: to - from }, (_, n) => ({
        level: level - storedHeight,
        from: (from + n) * groupSize,
        to: (from + n + 1) * groupSize,
      }));
      found[at] = Buffer.concat((await ranges(below)).map(rootOf));
    }
    return found;
  }

  /** The root of a perfect subtree of these hashes. */
  function rootOf(hashes: Uint8Array): Hash {
    if (hashes.length === hashLength) return hashes;
    const half = hashes.length / 2;
    return nodeHash(rootOf(hashes.subarray(0, half)), rootOf(hashes.subarray(half)));
  }

  /** The hashes of perfect subtrees. */
  async function hashesOf(nodes: readonly Node[]): Promise<Hash[]> {
    const asked = nodes.map(({ level, index }) => {
      const height = level % storedHeight;
      return { level: level - height, from: index * 2 ** height, to: (index + 1) * 2 ** height };
    });
    return (await ranges(asked)).map(rootOf);
  }

  return {
    ranges,

    /** The hashes of spans, with one query. */
    async spans(asked: readonly Span[]): Promise<Hash[]> {
      const nodes = asked.map(nodesOf);
      const hashes = await hashesOf(nodes.flat());
      return nodes.map(({ length }) => joinHashes(hashes.splice(0, length)));
    },

    /** The tree of the first `size` entries, which can grow. */
    frontier: async (size: number): Promise<Frontier> =>
      makeFrontier({ size, hashes: await hashesOf(nodesOf({ from: 0, to: size })) }),

    /** Whether the stored subtrees of the older head give its root, and with those after them that of the newer one. */
    async extends(older: Head, newer: Head): Promise<boolean> {
      if (older.size > newer.size) return false;
      const nodes = [
        { from: 0, to: older.size },
        { from: older.size, to: newer.size },
      ].flatMap(nodesOf);
      const check = makePrefixCheck([older, newer], makeFrontier());
      for (const [at, hash] of (await hashesOf(nodes)).entries()) check.add(hash, nodes[at]?.level);
      return check.matches(older) && check.matches(newer);
    },
  };
}
