import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { copyTree, type Tree } from "../support/planted-tree.ts";
import { type Notice, noticedBy, preparePlantings, unfounded } from "../support/planting.ts";
import { readPromiseRows } from "../support/promise-rows.ts";
import { plantedFaults } from "./planted-faults.ts";

/** More than there are cores: with many faults a test waits for what does not come. */
const mostTrees = 3;
const all: Tree[] = [];
/** Those of them in which nothing is planted at this moment, and something may be. */
const trees: Tree[] = [];
const notices: Notice[] = [];
let plantings: ReturnType<typeof preparePlantings>;

describe("what a planted fault breaks is noticed by a test of its promise's evidence", {
  concurrency: mostTrees,
}, () => {
  before(() => {
    const whole = copyTree();
    for (let n = 0; n < mostTrees; n += 1) trees.push(copyTree(whole));
    all.push(whole, ...trees);
    plantings = preparePlantings(Object.values(plantedFaults).flat());
  });
  after(async () => {
    const found = await unfounded(notices, all[0] as Tree, mostTrees);
    for (const tree of all) tree.remove();
    assert.deepEqual(found, [], "these tests fail without a fault, too");
  });

  const rows = readPromiseRows();
  for (const [beginning, faults] of Object.entries(plantedFaults)) {
    const tests = rows.find(({ promise }) => promise.startsWith(beginning))?.testedIn ?? [];
    for (const fault of faults) {
      const [file, text] = fault;
      test(`${beginning} … ${file}: ${text.trim()}`, async t => {
        const tree = trees.pop() as Tree;
        const planting = plantings.get(fault) as NonNullable<ReturnType<typeof plantings.get>>;
        const notice = await noticedBy(fault, planting, tests, tree).finally(() => trees.push(tree));
        assert.ok(notice !== undefined, "no test notices this fault");
        notices.push(notice);
        t.diagnostic(`${notice.test}: ${notice.failed}`);
      });
    }
  }
});
