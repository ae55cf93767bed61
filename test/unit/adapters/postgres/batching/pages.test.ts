import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  FirstRows,
  listsById,
  type Page,
  pagesOf,
} from "../../../../../src/adapters/postgres/batching/pages.ts";
import type { Database } from "../../../../../src/adapters/postgres/connection/database.ts";
import { sql } from "../../../../../src/adapters/postgres/connection/statement.ts";
import { deferred, turns } from "../../../../support/until.ts";

const first = 400;

interface Rows extends Page<number> {
  readonly ids: readonly number[];
}

interface Question {
  readonly last: number;
  readonly limit: number;
}

/** A table of rows that are numbered from 1 and take some room each, and what was asked of it. */
function makeTable(size: number, bytesPerRow = 50, mostBytes = Number.POSITIVE_INFINITY) {
  const asked: Question[] = [];
  const read = async (last: number, limit: number): Promise<Rows | undefined> => {
    asked.push({ last, limit });
    const rows = Math.min(limit, size - last);
    const bytes = rows * bytesPerRow;
    if (rows > 1 && bytes > mostBytes) return undefined;
    const ids = Array.from({ length: rows }, (_, i) => last + i + 1);
    return { rows, bytes, next: rows < limit ? undefined : last + rows, ids };
  };
  return { asked, read };
}

async function idsOf(pages: AsyncIterable<Rows>): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of pages) ids.push(...page.ids);
  return ids;
}

describe("a list in pages", () => {
  test("has every row once, in order, up to as many as are wanted, and asks for none again or in vain", async () => {
    const sizes = fc.oneof(fc.nat({ max: 6_000 }), fc.constantFrom(0, 1, first - 1, first, first + 1));
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat({ max: 20_000 }), fc.option(sizes), async (size, bytesPerRow, most) => {
        const wanted = most ?? Number.POSITIVE_INFINITY;
        const { asked, read } = makeTable(size, bytesPerRow);
        const ids = await idsOf(pagesOf<number, Rows>(0, read, new FirstRows(), wanted));
        assert.deepEqual(
          ids,
          Array.from({ length: Math.min(size, wanted) }, (_, i) => i + 1),
        );
        for (const [at, { last, limit }] of asked.entries()) {
          assert.equal(
            last,
            asked.slice(0, at).reduce((rows, page) => rows + page.limit, 0),
          );
          assert.ok(last + limit <= wanted && (at === 0 || last <= size));
        }
      }),
    );
  });

  test("has pages of some 200 KiB, whatever the size of the rows", async () => {
    for (const [bytesPerRow, limit] of [
      [200, 1_048],
      [1_024, 204],
      [36_864, 5],
      [1_048_576, 1],
    ] as const) {
      const { asked, read } = makeTable(first + 1, bytesPerRow);
      await idsOf(pagesOf<number, Rows>(0, read, new FirstRows()));
      assert.deepEqual(asked[1], { last: first, limit });
    }
  });

  test("asks for fewer rows where they are too many bytes, down to a single one", async () => {
    for (const [mostBytes, limits] of [
      [400_000, [first]],
      [399_999, [first, 50]],
      [49_999, [first, 50, 7]],
      [1, [first, 50, 7, 1]],
    ] as const) {
      const { asked, read } = makeTable(first, 1_000, mostBytes);
      for await (const { rows } of pagesOf<number, Rows>(0, read, new FirstRows())) {
        assert.equal(rows, limits.at(-1));
        break;
      }
      assert.deepEqual(
        asked.slice(0, limits.length).map(({ limit }) => limit),
        limits,
      );
    }
    const { read } = makeTable(500, 1_000, 5_000);
    assert.equal((await idsOf(pagesOf<number, Rows>(0, read, new FirstRows()))).length, 500);
  });

  test("begins with few rows after rows that came to too many bytes, and each list with one more, up to the usual", async () => {
    const firstRows = new FirstRows();
    const limitsOf = async (table: ReturnType<typeof makeTable>) => {
      await idsOf(pagesOf<number, Rows>(0, table.read, firstRows));
      return table.asked.map(({ limit }) => limit);
    };
    const long = () => makeTable(30, 12_000, 256 * 1_024);
    assert.deepEqual(await limitsOf(makeTable(first, 12_000, 256 * 1_024)), [
      first,
      50,
      7,
      ...Array(24).fill(17),
    ]);
    // No other page of long rows is read for nothing, until lists begin with more rows than fit.
    for (let rows = 8; rows <= 21; rows += 1)
      assert.deepEqual(await limitsOf(long()), [rows, ...Array(Math.ceil((31 - rows) / 17)).fill(17)]);
    assert.deepEqual(await limitsOf(long()), [22, 3, 17, 17]);
    assert.deepEqual(await limitsOf(makeTable(1_000)), [4, 16, 64, 256, 1_024]);
    for (let rows = 5; rows < first; rows += 1) assert.equal(firstRows.ofNextList(), rows);
    for (let lists = 0; lists < 3; lists += 1) assert.equal(firstRows.ofNextList(), first);
  });

  test("goes on where a page found nothing before the list ended", async () => {
    const pages = [[], [1, 2], [], [3]].map((ids, i, all) => ({
      rows: ids.length,
      bytes: ids.length,
      next: i + 1 < all.length ? i + 1 : undefined,
      ids,
    }));
    assert.deepEqual(
      await idsOf(pagesOf<number, Rows>(0, async last => pages[last], new FirstRows())),
      [1, 2, 3],
    );
  });

  test("reads a page when it is asked for and none ahead, which a slow client would hold", async () => {
    const { asked, read } = makeTable(10_000);
    const pages = pagesOf<number, Rows>(0, read, new FirstRows());
    for (let taken = 0; taken < 3; taken += 1) {
      await turns();
      assert.equal(asked.length, taken);
      await pages.next();
    }
    await pages.return(undefined);
    assert.equal(asked.length, 3);
  });

  test("fails where reading fails, after what was read before", async () => {
    const { read } = makeTable(10_000);
    const failure = new Error("connection lost");
    let chunks = 0;
    const list = () =>
      pagesOf<number, Rows>(
        0,
        async (last, limit) => {
          if (last > first) throw failure;
          return read(last, limit);
        },
        new FirstRows(),
      );
    const reading = async () => {
      for await (const _ of list()) chunks += 1;
    };
    await assert.rejects(reading, failure);
    assert.equal(chunks, 2);
  });
});

test("requests for the same list at the same time share its first page", async () => {
  let statements = 0;
  const queryBytes: Database["queryBytes"] = async source => {
    await turns();
    const { text, values } = typeof source === "function" ? source() : source;
    statements += 1;
    return [[Buffer.from(JSON.stringify({ text, values })), Buffer.from("1"), Buffer.from("1")]];
  };
  const list = listsById({ queryBytes } as Database, sql`select id from asset`);
  const read = async (active?: boolean) => {
    const chunks: string[] = [];
    for await (const { content } of list({ active })) chunks.push(Buffer.from(content).toString());
    return chunks.join();
  };
  const [all, active, again] = await Promise.all([read(), read(true), read()]);
  assert.deepEqual([statements, all === again, all === active], [2, true, false]);
  await read();
  assert.equal(statements, 3);
});

test("a list whose first page is shared with a list of shorter pages goes on after that page", async () => {
  const count = 300;
  let statements = 0;
  const { promise: connected, resolve: connect } = deferred();
  const queryBytes: Database["queryBytes"] = async source => {
    statements += 1;
    if (statements === 2) await connected;
    const [last, limit] = (typeof source === "function" ? source() : source).values.map(Number) as [
      number,
      number,
    ];
    // The first page is too long.
    if (statements === 1) return [];
    const ids = Array.from({ length: Math.min(limit, count - last) }, (_, n) => last + n + 1);
    return [[Buffer.from(ids.join()), Buffer.from(`${ids.length}`), Buffer.from(`${ids.at(-1) ?? ""}`)]];
  };
  const list = listsById({ queryBytes } as Database, sql`select id from asset`);
  const read = async () => {
    const chunks: string[] = [];
    for await (const { content } of list({ active: undefined })) chunks.push(Buffer.from(content).toString());
    return chunks.filter(chunk => chunk !== "").join();
  };
  const long = read();
  await turns();
  // Its second try, of 50 rows, waits for a connection.
  const careful = read();
  await turns();
  assert.equal(statements, 2);
  connect();
  const whole = Array.from({ length: count }, (_, n) => n + 1).join();
  assert.deepEqual(await Promise.all([long, careful]), [whole, whole]);
});
