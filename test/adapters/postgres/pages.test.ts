import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pageSize, pages } from "../../../src/adapters/postgres/pages.ts";

/** A table of so many rows, numbered from 1, that counts how often it is read. */
function makeTable(size: number) {
  const asked: (number | undefined)[] = [];
  const readAfter = async (last: number | undefined): Promise<number[]> => {
    asked.push(last);
    const start = last ?? 0;
    const length = Math.min(pageSize, size - start);
    return Array.from({ length }, (_, index) => start + index + 1);
  };
  return { asked, readAfter };
}

async function collect<T>(batches: AsyncIterable<readonly T[]>): Promise<(readonly T[])[]> {
  const collected: (readonly T[])[] = [];
  for await (const batch of batches) collected.push(batch);
  return collected;
}

describe("a list in pages", () => {
  for (const [size, lengths] of [
    [0, []],
    [1, [1]],
    [pageSize - 1, [pageSize - 1]],
    [pageSize, [pageSize]],
    [pageSize + 1, [pageSize, 1]],
    [3 * pageSize, [pageSize, pageSize, pageSize]],
    [3 * pageSize + 7, [pageSize, pageSize, pageSize, 7]],
  ] as const) {
    test(`of ${size} rows has every row once, in order, in ${lengths.length} pages of which none is empty`, async () => {
      const batches = await collect(pages(makeTable(size).readAfter));
      assert.deepEqual(
        batches.map(batch => batch.length),
        lengths,
      );
      assert.deepEqual(
        batches.flat(),
        Array.from({ length: size }, (_, index) => index + 1),
      );
    });
  }

  test("asks for what comes after the last row, and not again after a page that was not full", async () => {
    const { asked, readAfter } = makeTable(2 * pageSize + 1);
    await collect(pages(readAfter));
    assert.deepEqual(asked, [undefined, pageSize, 2 * pageSize]);
  });

  test("reads a page when it is wanted and not before", async () => {
    const { asked, readAfter } = makeTable(10 * pageSize);
    const iterator = pages(readAfter)[Symbol.asyncIterator]();
    assert.equal(asked.length, 0);
    await iterator.next();
    assert.equal(asked.length, 1);
    await iterator.next();
    assert.equal(asked.length, 2);
  });

  test("reads no more when nobody wants the rest", async () => {
    const { asked, readAfter } = makeTable(10 * pageSize);
    for await (const batch of pages(readAfter)) if (batch.includes(pageSize + 1)) break;
    assert.equal(asked.length, 2);
  });

  test("fails where reading fails, after what was read before", async () => {
    const { readAfter } = makeTable(3 * pageSize);
    const failure = new Error("connection lost");
    const batches = pages(async (last: number | undefined) => {
      if (last === 2 * pageSize) throw failure;
      return readAfter(last);
    });
    const lengths: number[] = [];
    const reading = async () => {
      for await (const batch of batches) lengths.push(batch.length);
    };
    await assert.rejects(reading, failure);
    assert.deepEqual(lengths, [pageSize, pageSize]);
  });

  test("takes rows that come while it is read, if they come after the last one", async () => {
    const table = [...Array(pageSize).keys()].map(index => index + 1);
    const seen: number[] = [];
    for await (const batch of pages(async (last: number | undefined) =>
      table.filter(row => row > (last ?? 0)).slice(0, pageSize),
    )) {
      seen.push(...batch);
      if (seen.length === pageSize) table.push(pageSize + 1);
    }
    assert.deepEqual(seen, table);
  });
});
