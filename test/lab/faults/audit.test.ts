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

  test("finds nothing where all is well", () => {
    assert.deepEqual(compare(rows, told), { lost: 0, doubled: 0, unknown: 0 });
  });

  test("finds a row that is missing", () => {
    assert.equal(compare(rows.slice(1), told).lost, 1);
  });

  for (const change of [
    { id: 9 },
    { assetId: 9 },
    { status: "?" },
    { performedDate: "?" },
    { taskType: "?" },
  ]) {
    test(`finds a row with another ${Object.keys(change)}`, () => {
      assert.equal(
        compare(
          rows.map((row, i) => (i === 1 ? { ...row, ...change } : row)),
          told,
        ).lost,
        1,
      );
    });
  }

  test("finds a comment that was cut short", () => {
    assert.equal(
      compare(
        rows.map(row => ({ ...row, comment: row.comment.slice(0, -1) })),
        told,
      ).lost,
      3,
    );
  });

  test("finds a second row of one key", () => {
    assert.equal(compare([...rows, ...rows.slice(0, 1)], told).doubled, 1);
  });

  test("finds a row that nobody sent", () => {
    assert.equal(compare(rows, { ...told, keys: new Set() }).unknown, 3);
  });

  test("a write that was not acknowledged may be there or not", () => {
    const silent = { ...told, acknowledged: new Map() };
    assert.deepEqual(compare(rows, silent), compare([], silent));
  });
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
