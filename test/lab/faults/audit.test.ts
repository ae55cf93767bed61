import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compare, type Row } from "./audit.ts";
import { makeRandom } from "./random.ts";
import { isClean, tableOf } from "./table.ts";
import { makeWrite } from "./write.ts";

/** The faults are only as good as the audit that looks for what they have broken. */
describe("the audit", () => {
  const random = makeRandom(1);
  const writes = ["a", "b", "c"].map((name, i) => ({ ...makeWrite(random, name, [1, 2], 20), id: i + 1 }));
  const rows: Row[] = writes.map(({ id, assetId, content }) => ({ id, assetId, ...content }));
  const told = {
    acknowledged: new Map(writes.map(write => [write.key, write])),
    keys: new Set(writes.map(write => write.key)),
  };

  const changed = (change: Partial<Row>) => rows.map((row, at) => (at === 1 ? { ...row, ...change } : row));
  const cut = rows.map(row => ({ ...row, comment: row.comment.slice(0, -1) }));
  for (const [what, found, expected, toldOf = told] of [
    ["nothing where all is well", rows, {}],
    ["a row that is missing", rows.slice(1), { lost: 1 }],
    ...[{ id: 9 }, { assetId: 9 }, { status: "?" }, { performedDate: "?" }, { taskType: "?" }].map(
      change => [`a row with another ${Object.keys(change)}`, changed(change), { lost: 1 }] as const,
    ),
    ["comments that were cut short", cut, { lost: 3 }],
    ["a second row of one key", [...rows, ...rows.slice(0, 1)], { doubled: 1 }],
    ["rows that nobody sent", rows, { unknown: 3 }, { ...told, keys: new Set<string>() }],
    ["nothing in a write that was not acknowledged", rows, {}, { ...told, acknowledged: new Map() }],
    ["nothing where such a write is missing", [], {}, { ...told, acknowledged: new Map() }],
  ] as const) {
    test(`finds ${what}`, () => {
      assert.deepEqual(compare(found, toldOf), { lost: 0, doubled: 0, unknown: 0, ...expected });
    });
  }
});

describe("the table", () => {
  const good = {
    rounds: 2,
    acknowledged: 10,
    lost: 0,
    doubled: 0,
    hung: 0,
    recoveries: [30, 10, 20],
    notes: [],
    faults: [],
  };

  test("shows the median and the worst recovery", () => {
    assert.match(tableOf([{ name: "a", ...good }]), /\| a +\| +2 \| +10 \| +0 \| +0 \| +0 \| +20, 30 \|/);
  });

  for (const bad of [{ lost: 1 }, { doubled: 1 }, { hung: 1 }, { faults: ["x"] }]) {
    test(`is not clean with ${JSON.stringify(bad)}`, () => {
      assert.ok(isClean({ name: "a", ...good }));
      assert.ok(!isClean({ name: "a", ...good, ...bad }));
    });
  }
});
