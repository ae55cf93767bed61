import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { sha256 } from "../../../../src/domain/trail/crypto.ts";
import {
  type Hash,
  inclusionSpans,
  isIncluded,
  joinHashes,
  leafHash,
  makeFrontier,
  type Node,
  nodeHash,
  nodesOf,
} from "../../../../src/domain/trail/merkle.ts";
import { naiveTree } from "../../../support/naive-tree.ts";
import { makeTreeNodes } from "../../../support/tree-nodes.ts";

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString("hex");

/** The leaves and roots with which implementations of RFC 6962 test each other (certificate-transparency, merkle). */
const leaves = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
];
const roots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

describe("the tree of RFC 6962", () => {
  test("has the published roots", () => {
    const frontier = makeFrontier();
    assert.equal(hex(frontier.root), roots[0]);
    for (const [at, leaf] of leaves.entries()) {
      frontier.append(leafHash(Buffer.from(leaf, "hex")));
      assert.equal(hex(frontier.root), roots[at + 1]);
    }
  });

  test("hashes entries of any length", () => {
    for (const length of [0, 4_095, 4_096, 65_535, 1]) {
      const entry = Buffer.alloc(length, "x");
      assert.deepEqual(leafHash(entry), sha256(Buffer.concat([Buffer.of(0), entry])));
    }
  });

  const size = 70;
  const { mth, path } = naiveTree(Array.from({ length: size }, (_, at) => Buffer.from(`entry ${at}`)));
  const frontier = makeFrontier();
  const hashes = new Map<string, Hash>();
  const key = ({ level, index }: Node): string => `${level}/${index}`;
  const hashAt = (node: Node): Hash => {
    const hash = hashes.get(key(node));
    assert.ok(hash, `${key(node)} is asked for before it is whole`);
    return hash;
  };
  const builder = makeTreeNodes((node, hash) => void hashes.set(key(node), hash));
  for (let at = 0; at < size; at += 1) builder.append(leafHash(Buffer.from(`entry ${at}`)));

  test("is that of the definition at each size, and goes on from any of them", () => {
    for (let at = 0; at <= size; at += 1) {
      assert.equal(hex(frontier.root), hex(mth(0, at)));
      if (at > 0) assert.equal(hex(joinHashes(nodesOf({ from: 0, to: at }).map(hashAt))), hex(mth(0, at)));
      const later = makeFrontier({ size: frontier.size, hashes: frontier.hashes });
      for (let more = at; more < size; more += 1) later.append(leafHash(Buffer.from(`entry ${more}`)));
      assert.equal(hex(later.root), hex(mth(0, size)));
      if (at < size) frontier.append(leafHash(Buffer.from(`entry ${at}`)));
    }
  });

  test("has the inclusion proofs of the definition, and each is accepted in its own place only", () => {
    for (const total of [1, 2, 3, 7, 8, 33, 64, size]) {
      for (let index = 0; index < total; index += 1) {
        const hashes = inclusionSpans(index, total).map(span => joinHashes(nodesOf(span).map(hashAt)));
        assert.deepEqual(hashes.map(hex), path(index, 0, total).map(hex));
        const leaf = leafHash(Buffer.from(`entry ${index}`));
        const accepts = (at: number, of: number, proof: Hash[], root: Hash) =>
          isIncluded(at, of, leaf, proof, root);
        assert.equal(accepts(index, total, hashes, mth(0, total)), true);
        assert.equal(accepts(index, total, [...hashes, leaf], mth(0, total)), false);
        assert.equal(accepts(index, total, hashes, mth(0, total - 1)), false);
        if (hashes.length > 0) assert.equal(accepts(index, total, hashes.slice(1), mth(0, total)), false);
        for (let other = 0; other < total; other += 1) {
          assert.equal(accepts(other, total, hashes, mth(0, total)), other === index);
        }
      }
    }
    for (const index of [-1, 5, Number.NaN])
      assert.throws(() => inclusionSpans(index, 5), /has no such entry/);
  });

  test("grows by whole subtrees as it does by leaves", () => {
    for (const total of [1, 2, 7, 8, 33, size]) {
      for (let old = 0; old <= total; old += 1) {
        const hashes = nodesOf({ from: 0, to: old }).map(hashAt);
        const frontier = makeFrontier({ size: old, hashes });
        for (const node of nodesOf({ from: old, to: total })) frontier.append(hashAt(node), node.level);
        assert.deepEqual([frontier.size, hex(frontier.root)], [total, hex(mth(0, total))]);
      }
    }
  });

  test("takes sizes beyond 32 bits", () => {
    const index = 2 ** 40 + 5;
    const total = 2 ** 45 + 2 ** 33 + 7;
    assert.deepEqual(
      nodesOf({ from: 0, to: total }).map(({ level }) => level),
      [45, 33, 2, 1, 0],
    );
    const hashes = inclusionSpans(index, total).map(({ from }) => leafHash(Buffer.from(String(from))));
    assert.equal(hashes.length, 45 + 1);
    // The root to which this proof leads, from the leaf up.
    let root = leafHash(Buffer.of());
    let at = index;
    for (const sibling of hashes.slice(0, 45)) {
      root = at % 2 === 0 ? nodeHash(root, sibling) : nodeHash(sibling, root);
      at = Math.floor(at / 2);
    }
    root = nodeHash(root, hashes[45] as Hash);
    assert.equal(isIncluded(index, total, leafHash(Buffer.of()), hashes, root), true);
    assert.equal(isIncluded(index - 2 ** 32, total, leafHash(Buffer.of()), hashes, root), false);
  });
});

test("inclusion proofs, good and tampered, are judged as by transparency-dev/merkle", () => {
  /** From the test data of github.com/transparency-dev/merkle (Apache-2.0): hashes once, then a probe a line. */
  const lines = readFileSync("test/unit/domain/trail/merkle-probes.txt", "utf8").trimEnd().split("\n");
  const hashes = lines
    .filter(line => line.startsWith("hash"))
    .map(line => Buffer.from(line.slice(5), "base64"));
  const hashOf = (number = ""): Hash => hashes[Number(number)] as Hash;
  const probes = lines.filter(line => line.startsWith("inclusion")).map(line => line.split(" ").slice(1));
  assert.equal(probes.length, 98);
  for (const probe of probes) {
    const [index, size, leaf, proof = "-", root, verdict] = probe;
    const path = proof === "-" ? [] : proof.split(",").map(hashOf);
    const isHeld = isIncluded(Number(index), Number(size), hashOf(leaf), path, hashOf(root));
    assert.equal(isHeld, verdict === "holds", probe.join(" "));
  }
});
