import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Database } from "../../../../../src/adapters/postgres/connection/database.ts";
import type { Statement } from "../../../../../src/adapters/postgres/connection/statement.ts";
import {
  type ActivePlace,
  readActivePage,
} from "../../../../../src/adapters/postgres/repositories/active-logs.ts";

const start = { performedDate: "infinity", id: 9 };
const afterWindow = { performedDate: "2026-02-28T10:20:30", id: 7 };

/** A database in which so many assets are active, a window has so many of their logs, and a search finds these. */
function withActiveAssets(assets: number, inWindow: number, ids: readonly number[] = []) {
  const sent: Statement[] = [];
  const end = Buffer.from(`7,2026-02-28 10:20:30,${assets}`);
  const database = {
    query: async (statement: Statement) => {
      sent.push(statement);
      return ids.map(id => ({ id }));
    },
    queryBytes: async (statement: Statement) => {
      sent.push(statement);
      const isWindow = statement.text.includes("limit 4000");
      const rows = isWindow ? inWindow : String(statement.values[0]).split(",").length;
      const fields = "1,2026-01-01 00:00:00,0,1,1,0,".repeat(rows);
      return [[Buffer.from(fields), null, Buffer.from(String(rows)), isWindow ? end : null]];
    },
  } as unknown as Database;
  return { database, sent };
}

describe("a list of the logs of active assets", () => {
  for (const [assets, inWindow, isSparse] of [
    [10, 2_000, true],
    [10_000, 299, true],
    [10_000, 300, false],
    [100_000, 29, true],
    [100_000, 30, false],
  ] as const) {
    test(`goes on with a ${isSparse ? "search" : "window"} after ${inWindow} logs in a window, where ${assets} assets are active`, async () => {
      const { database } = withActiveAssets(assets, inWindow);
      const page = await readActivePage(database, { wanted: 9_000 }, start, 5_000);
      assert.deepEqual(page?.next, isSparse ? { ...afterWindow, isSparse } : afterWindow);
    });
  }

  for (const [wanted, searched] of [
    [10, 10],
    [9_000, 1_000],
  ] as const) {
    test(`searches for ${searched} logs where ${wanted} are wanted, once for all pages that have them`, async () => {
      const ids = Array.from({ length: searched }, (_, i) => searched - i);
      const { database, sent } = withActiveAssets(100_000, 0, ids);
      const read = (place: ActivePlace, most: number) => readActivePage(database, { wanted }, place, most);
      const search = await read({ ...afterWindow, isSparse: true }, 4);
      assert.equal(search?.rows, 0);
      assert.ok(sent[0]?.values.includes(searched));
      const first = await read(search.next as ActivePlace, 4);
      assert.deepEqual([first?.rows, first?.next?.found?.ids.length], [4, searched - 4]);
      const rest = await read(first?.next as ActivePlace, 2_000);
      // There may be more: a window is tried again.
      assert.deepEqual(rest?.next, { performedDate: "2026-01-01T00:00:00", id: 1 });
      assert.equal(sent.filter(({ text }) => text.includes("from asset where active")).length, 1);
    });
  }

  test("ends with what a search finds where that is less than it may", async () => {
    const { database } = withActiveAssets(5, 0, [3, 2, 1]);
    const sparse: ActivePlace = { ...afterWindow, isSparse: true };
    const search = await readActivePage(database, { wanted: 10 }, sparse, 400);
    const page = await readActivePage(database, { wanted: 10 }, search?.next as ActivePlace, 400);
    assert.deepEqual([page?.rows, page?.next], [3, undefined]);
    const nothing = await readActivePage(withActiveAssets(5, 0).database, { wanted: 10 }, sparse, 400);
    assert.deepEqual([nothing?.rows, nothing?.next], [0, undefined]);
  });
});
