import type { Hash, Node } from "../../src/domain/trail/merkle.ts";
import { nodeHash } from "../../src/domain/trail/merkle.ts";

/** A growing tree with all its nodes: calls `completed` with each perfect subtree, leaves included, as soon as it is whole. */
export function makeTreeNodes(completed: (node: Node, hash: Hash) => void) {
  const levels: Hash[][] = [];
  const add = (level: number, hash: Hash): void => {
    levels[level] ??= [];
    const row = levels[level];
    row.push(hash);
    completed({ level, index: row.length - 1 }, hash);
    if (row.length % 2 === 0) add(level + 1, nodeHash(row.at(-2) as Hash, hash));
  };
  return { append: (leaf: Hash): void => add(0, leaf) };
}
