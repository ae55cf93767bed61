import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StoredNode } from "../../../../src/application/trail/ports.ts";
import { makeGrowingTree, makeStoredTree } from "../../../../src/application/trail/tree.ts";
import {
  emptyRoot,
  type Hash,
  inclusionSpans,
  leafHash,
  nodeHash,
} from "../../../../src/domain/trail/merkle.ts";
import { makeMemoryTrail } from "../../../fakes/memory-trail.ts";

const most = 2_100;
const leaves = Array.from({ length: most }, (_, index) => leafHash(Buffer.from(String(index))));

/** The tree hash of section 2.1 of RFC 6962, as it is defined there. */
function plain(from: number, to: number): Hash {
  if (to - from === 1) return leaves[from] as Hash;
  const middle = from + 2 ** Math.floor(Math.log2(to - from - 1));
  return nodeHash(plain(from, middle), plain(middle, to));
}

/** A stored tree of so many entries, and of the nodes only those that are kept. */
function stored(size: number, isKept: (node: StoredNode) => boolean = () => true) {
  const { tree, nodes } = makeGrowingTree();
  const trail = makeMemoryTrail({ employee: [], asset: [], log: [] });
  for (const [index, hash] of leaves.slice(0, size).entries()) {
    tree.append(hash);
    trail.stored.entries.push({ kind: "log", recordId: index + 1, index, hash });
  }
  trail.stored.nodes.push(...nodes.filter(isKept));
  return trail;
}

const same = (found: Hash, expected: Hash) => assert.deepEqual(Buffer.from(found), Buffer.from(expected));

describe("the stored tree", () => {
  test("keeps the hashes of every fourth level", () => {
    const counts = new Map<number, number>();
    for (const { level } of stored(most).stored.nodes) counts.set(level, (counts.get(level) ?? 0) + 1);
    assert.deepEqual([...counts].sort(), [
      [4, 131],
      [8, 8],
    ]);
  });

  for (const [what, isKept] of [
    ["all hashes", () => true],
    ["some hashes that were left out", ({ index }: StoredNode) => index % 3 !== 1],
    ["no hash but those of entries", () => false],
  ] as const) {
    test(`gives roots and proofs from ${what}`, async () => {
      for (const size of [1, 2, 15, 16, 17, 255, 256, 257, 511, 700, most]) {
        const { ledger } = stored(size, isKept);
        same((await makeStoredTree(ledger).frontier(size)).root, plain(0, size));
        for (const index of [0, 1, 15, 16, 254, 255, 256, 600, size - 1].filter(index => index < size)) {
          const spans = inclusionSpans(index, size);
          const hashes = await makeStoredTree(ledger).spans(spans);
          assert.equal(hashes.length, spans.length);
          for (const [at, { from, to }] of spans.entries()) same(hashes[at] as Hash, plain(from, to));
        }
        for (const older of [0, 1, 16, 200, 256, size].filter(older => older <= size)) {
          const heads = [older, size].map(of => ({ size: of, root: of === 0 ? emptyRoot : plain(0, of) }));
          const [before = assert.fail(), now = assert.fail()] = heads;
          assert.equal(await makeStoredTree(ledger).extends(before, now), true);
          assert.equal(
            await makeStoredTree(ledger).extends({ ...before, root: new Uint8Array(32) }, now),
            false,
          );
          assert.equal(
            await makeStoredTree(ledger).extends(before, { ...now, root: new Uint8Array(32) }),
            false,
          );
          if (older < size) assert.equal(await makeStoredTree(ledger).extends(now, before), false);
        }
      }
    });
  }

  test("says where an entry is missing", async () => {
    const { ledger, stored: rows } = stored(300);
    rows.entries.splice(290, 1);
    await assert.rejects(makeStoredTree(ledger).frontier(300), {
      name: "TrailError",
      message: "entry 290 was removed",
    });
    assert.equal((await makeStoredTree(ledger).frontier(288)).size, 288);
  });
});
