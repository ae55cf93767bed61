import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { firstRows, mostRows, type Page, pages } from "../../../../src/adapters/postgres/batching/pages.ts";
import { elementsOf, type JsonList } from "../../../../src/application/json-list.ts";

interface Key {
  readonly id: number;
}
const start: Key = { id: 0 };

/** A text that is dangerous to whoever looks for the beginning of a row. */
const comment = ',{"id":0}';

/** A table of rows that are numbered from 1 and take some room each, and what was asked of it. */
function makeTable(size: number, bytesPerRow = 50) {
  const asked: { readonly last: number; readonly limit: number }[] = [];
  const row = (id: number) => JSON.stringify({ id, comment }).padEnd(bytesPerRow);
  const readAfter = async ({ id: last }: Key, limit: number): Promise<Page | undefined> => {
    asked.push({ last, limit });
    const rows = Math.min(limit, size - last);
    const ids = Array.from({ length: rows }, (_, i) => last + i + 1);
    if (rows === 0) return undefined;
    return { json: Buffer.from(ids.map(row).join()), rows };
  };
  return { asked, readAfter };
}

async function collect(list: JsonList<unknown>): Promise<Key[][]> {
  const pieces: Key[][] = [];
  for await (const piece of list) pieces.push(elementsOf(piece));
  return pieces;
}

describe("a list in pages", () => {
  for (const size of [0, 1, firstRows - 1, firstRows, firstRows + 1, firstRows + mostRows, 10_000]) {
    test(`of ${size} rows has every row once, in order, in pages of which none is empty`, async () => {
      const pieces = await collect(pages(start, makeTable(size).readAfter));
      assert.ok(pieces.every(piece => piece.length > 0));
      assert.deepEqual(
        pieces.flat().map(({ id }) => id),
        Array.from({ length: size }, (_, i) => i + 1),
      );
    });
  }

  for (const [wanted, limits] of [
    [1, [1]],
    [firstRows, [firstRows]],
    [firstRows + 1, [firstRows, 1]],
    [firstRows + mostRows, [firstRows, mostRows]],
    [10_000, [firstRows, mostRows, mostRows]],
  ] as const) {
    test(`of which ${wanted} rows are wanted reads no more in ${limits.length} pages`, async () => {
      const size = 2 * mostRows;
      const { asked, readAfter } = makeTable(size);
      const pieces = await collect(pages(start, readAfter, { wanted }));
      assert.deepEqual(
        asked.map(({ limit }) => limit),
        limits,
      );
      assert.equal(pieces.flat().length, Math.min(wanted, size));
    });
  }

  test("asks for what comes after the last row, and not again after a page that was not full", async () => {
    const { asked, readAfter } = makeTable(firstRows + mostRows + 1);
    await collect(pages(start, readAfter));
    assert.deepEqual(
      asked.map(({ last }) => last),
      [0, firstRows, firstRows + mostRows],
    );
  });

  test("has pages of some 192 KiB, whatever the size of the rows", async () => {
    for (const [bytesPerRow, limit] of [
      [50, mostRows],
      [1_024, 191],
      [40_960, 4],
      [1_048_576, 1],
    ] as const) {
      const { asked, readAfter } = makeTable(firstRows + 1, bytesPerRow);
      await collect(pages(start, readAfter));
      assert.deepEqual(asked[1], { last: firstRows, limit });
    }
  });

  test("reads a page when it is wanted and not before", async () => {
    const { asked, readAfter } = makeTable(10_000);
    const iterator = pages(start, readAfter)[Symbol.asyncIterator]();
    assert.equal(asked.length, 0);
    await iterator.next();
    assert.equal(asked.length, 1);
    await iterator.next();
    assert.equal(asked.length, 2);
  });

  test("reads no more when nobody wants the rest", async () => {
    const { asked, readAfter } = makeTable(10_000);
    for await (const _ of pages(start, readAfter)) if (asked.length === 2) break;
    assert.equal(asked.length, 2);
  });

  test("fails where reading fails, after what was read before", async () => {
    const { readAfter } = makeTable(10_000);
    const failure = new Error("connection lost");
    let read = 0;
    const list = pages(start, async (last, limit) => {
      if (last.id > firstRows) throw failure;
      return readAfter(last, limit);
    });
    const reading = async () => {
      for await (const _ of list) read += 1;
    };
    await assert.rejects(reading, failure);
    assert.equal(read, 2);
  });
});
