import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { copyTree, type Tree } from "../support/planted-tree.ts";
import { makeSoundness, noticedBy } from "../support/planting.ts";
import { readPromiseRows } from "../support/promise-rows.ts";
import { plantedFaults } from "./planted-faults.ts";

const all: Tree[] = [];
/** Those of them in which nothing is planted at this moment, and something may be. */
/** More than there are cores: with most faults a test waits for what does not come. */
const mostTrees = 3;
const trees: Tree[] = [];
let isSound: ReturnType<typeof makeSoundness> | undefined;

describe("what a planted fault breaks is noticed by a test of its promise's evidence", {
  concurrency: mostTrees,
}, () => {
  before(() => {
    const whole = copyTree();
    for (let n = 0; n < mostTrees; n += 1) trees.push(copyTree());
    all.push(whole, ...trees);
    isSound = makeSoundness(whole);
  });
  after(() => {
    for (const tree of all) tree.remove();
  });

  const rows = readPromiseRows();
  for (const [beginning, faults] of Object.entries(plantedFaults)) {
    const tests = rows.find(({ promise }) => promise.startsWith(beginning))?.testedIn ?? [];
    for (const fault of faults) {
      const [file, text] = fault;
      test(`${beginning} … ${file}: ${text.trim()}`, async t => {
        const tree = trees.pop() as Tree;
        const notice = await noticedBy(fault, tests, tree).finally(() => trees.push(tree));
        assert.ok(notice !== undefined, "no test notices this fault");
        assert.ok(await isSound?.(notice), `${notice.test}: ${notice.failed}: fails without this fault, too`);
        t.diagnostic(`${notice.test}: ${notice.failed}`);
      });
    }
  }
});
