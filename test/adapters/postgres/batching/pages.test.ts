import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Page, readFitting, wholeList } from "../../../../src/adapters/postgres/batching/pages.ts";
import { elementsOf, type JsonList } from "../../../../src/application/json-list.ts";

const first = 128;
const mostRows = 1_000;

interface Question {
  readonly last: number;
  readonly limit: number;
}

/** A table of rows that are numbered from 1 and take some room each, and what was asked of it. */
function makeTable(size: number, bytesPerRow = 50, mostBytes = Number.POSITIVE_INFINITY) {
  const asked: Question[] = [];
  const row = (id: number) => `,${JSON.stringify({ id })}`.padEnd(bytesPerRow);
  const read = async (last: number, limit: number): Promise<Page<number> | undefined> => {
    asked.push({ last, limit });
    const rows = Math.min(limit, size - last);
    const json = Buffer.from(Array.from({ length: rows }, (_, i) => row(last + i + 1)).join(""));
    if (rows > 1 && json.length > mostBytes) return undefined;
    const next = rows < limit ? undefined : last + rows;
    return { rows, bytes: rows * bytesPerRow, next, pieces: () => [{ json, next }] };
  };
  return { asked, read };
}

async function idsOf(list: JsonList<unknown>): Promise<number[]> {
  const ids: number[] = [];
  for await (const piece of list) ids.push(...elementsOf<{ id: number }>(piece).map(({ id }) => id));
  return ids;
}

const turns = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)));

describe("a list in pages", () => {
  for (const size of [0, 1, first - 1, first, first + 1, first + mostRows, 10_000]) {
    test(`of ${size} rows has every row once, in order`, async () => {
      const ids = await idsOf(wholeList<number>(0, makeTable(size).read, first));
      assert.deepEqual(
        ids,
        Array.from({ length: size }, (_, i) => i + 1),
      );
    });
  }

  test("asks for what comes after the last row, and not again after a page that was not full", async () => {
    const { asked, read } = makeTable(first + mostRows + 1);
    await idsOf(wholeList<number>(0, read, first));
    assert.deepEqual(
      asked.map(({ last }) => last),
      [0, first, first + mostRows],
    );
  });

  test("has pages of some 144 KiB, whatever the size of the rows", async () => {
    for (const [bytesPerRow, limit] of [
      [50, mostRows],
      [1_024, 144],
      [36_864, 4],
      [1_048_576, 1],
    ] as const) {
      const { asked, read } = makeTable(first + 1, bytesPerRow);
      await idsOf(wholeList<number>(0, read, first));
      assert.deepEqual(asked[1], { last: first, limit });
    }
  });

  test("asks for fewer rows where they are too many bytes, down to a single one", async () => {
    for (const [mostBytes, limits] of [
      [128_000, [first]],
      [127_998, [first, 16]],
      [15_998, [first, 16, 2]],
      [1, [first, 16, 2, 1]],
    ] as const) {
      const { asked, read } = makeTable(first, 1_000, mostBytes);
      const page = await readFitting<number, Page<number>>(read, 0, first);
      assert.equal(page.rows, limits.at(-1));
      assert.deepEqual(
        asked.map(({ limit }) => limit),
        limits,
      );
    }
    const { read } = makeTable(500, 1_000, 5_000);
    assert.equal((await idsOf(wholeList<number>(0, read, first))).length, 500);
  });

  test("goes on where a page found nothing before the list ended", async () => {
    const pages = [[], [1, 2], [], [3]].map((ids, i, all) => ({
      rows: ids.length,
      bytes: 0,
      next: i + 1 < all.length ? i + 1 : undefined,
      pieces: () => [{ json: Buffer.from(ids.map(id => `,{"id":${id}}`).join("")), next: i + 1 }],
    }));
    const list = wholeList<number>(0, async last => pages[last], first);
    assert.deepEqual(await idsOf(list), [1, 2, 3]);
  });

  test("reads one page ahead and no more", async () => {
    const { asked, read } = makeTable(10_000);
    const iterator = wholeList<number>(0, read, first)[Symbol.asyncIterator]();
    assert.equal(asked.length, 0);
    for (const ahead of [2, 3, 4]) {
      await iterator.next();
      await turns();
      assert.equal(asked.length, ahead);
    }
  });

  test("reads no more when nobody wants the rest", async () => {
    const { asked, read } = makeTable(10_000);
    for await (const _ of wholeList<number>(0, read, first)) if (asked.length === 3) break;
    await turns();
    assert.equal(asked.length, 3);
  });

  test("fails where reading fails, after what was read before, and nowhere when nobody wants the rest", async () => {
    const { read } = makeTable(10_000);
    const failure = new Error("connection lost");
    let pieces = 0;
    const list = () =>
      wholeList<number>(
        0,
        async (last, limit) => {
          if (last > first) throw failure;
          return read(last, limit);
        },
        first,
      );
    const reading = async () => {
      for await (const _ of list()) pieces += 1;
    };
    await assert.rejects(reading, failure);
    assert.equal(pieces, 2);
    // The failure of the page ahead is nobody's: an unhandled rejection would end the process.
    let left = 2;
    for await (const _ of list()) if (--left === 0) break;
    await turns();
  });
});
