import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Database } from "../../../../../src/adapters/postgres/connection/database.ts";
import type { Statement } from "../../../../../src/adapters/postgres/connection/statement.ts";
import {
  ActiveLogs,
  type ActivePlace,
} from "../../../../../src/adapters/postgres/repositories/active-logs.ts";
import { deferred, turns } from "../../../../support/until.ts";

const start = { performedDate: "infinity", id: 9 };
const afterWindow = { performedDate: "2026-02-28T10:20:30", id: 7 };

/** A database in which so many assets are active, a window has so many of their logs, and a search finds these. */
function withActiveAssets(activeAssets: number, inWindow: number, ids: readonly number[] = []) {
  const searches: Statement[] = [];
  const held: Promise<void>[] = [];
  const end = Buffer.from(JSON.stringify({ ...afterWindow, activeAssets }));
  const database = {
    query: async (statement: Statement) => {
      searches.push(statement);
      await held.shift();
      return ids.map(id => ({ id }));
    },
    queryBytes: async (statement: Statement) => {
      const isWindow = statement.text.includes("limit 4000");
      const rows = isWindow ? inWindow : String(statement.values[0]).split(",").length;
      const fields = "1,2026-01-01 00:00:00,0,1,1,0,".repeat(rows);
      return [[Buffer.from(fields), null, Buffer.from(String(rows)), isWindow ? end : null]];
    },
  } as unknown as Database;
  return { logs: new ActiveLogs(database), searches, held };
}

describe("a list of the logs of active assets", () => {
  for (const [assets, inWindow, isSearched] of [
    [10, 2_000, true],
    [10_000, 299, true],
    [10_000, 300, false],
    [100_000, 29, true],
    [100_000, 30, false],
  ] as const) {
    test(`goes on with a ${isSearched ? "search" : "window"} after ${inWindow} logs in a window, where ${assets} assets are active`, async () => {
      const { logs, searches } = withActiveAssets(assets, inWindow, [5]);
      const page = await logs.readPage({}, 9_000, start, 5_000);
      assert.deepEqual(page?.next, isSearched ? { ids: [5], isEnd: true } : afterWindow);
      assert.equal(searches.length, isSearched ? 1 : 0);
    });
  }

  for (const [wanted, searched] of [
    [10, 10],
    [9_000, 1_000],
  ] as const) {
    test(`searches for ${searched} logs where ${wanted} are wanted, once for all pages that have them`, async () => {
      const ids = Array.from({ length: searched }, (_, i) => searched - i);
      const { logs, searches } = withActiveAssets(100_000, 0, ids);
      const read = (place: ActivePlace, most: number) => logs.readPage({}, wanted, place, most);
      const window = await read(start, 4);
      assert.equal(window?.rows, 0);
      assert.ok(searches[0]?.values.includes(searched));
      const first = await read(window.next as ActivePlace, 4);
      assert.deepEqual([first?.rows, first?.next], [4, { ids: ids.slice(4), isEnd: false }]);
      const rest = await read(first?.next as ActivePlace, 2_000);
      // There may be more: a window is tried again.
      assert.deepEqual(rest?.next, { performedDate: "2026-01-01T00:00:00", id: 1 });
      assert.equal(searches.length, 1);
    });
  }

  test("ends with what a search finds where that is less than it may", async () => {
    const { logs } = withActiveAssets(5, 0, [3, 2, 1]);
    const window = await logs.readPage({}, 10, start, 400);
    const page = await logs.readPage({}, 10, window?.next as ActivePlace, 400);
    assert.deepEqual([page?.rows, page?.next], [3, undefined]);
    const nothing = await withActiveAssets(5, 0).logs.readPage({}, 10, start, 400);
    assert.deepEqual([nothing?.rows, nothing?.next], [0, undefined]);
  });

  test("has two searches at one time, whose connections others miss; 20 more lists wait, and one more is refused", async () => {
    const { logs, searches, held } = withActiveAssets(100_000, 0, [1]);
    const [first, second] = [deferred(), deferred()];
    held.push(first.promise, second.promise);
    const lists = Array.from({ length: 22 }, () => logs.readPage({}, 10, start, 400));
    await turns();
    assert.equal(searches.length, 2);
    await assert.rejects(logs.readPage({}, 10, start, 400), { code: "UNAVAILABLE" });
    first.resolve();
    second.resolve();
    assert.equal((await Promise.all(lists)).length, 22);
    assert.equal(searches.length, 22);
  });
});
