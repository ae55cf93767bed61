import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../../../../src/adapters/postgres/connection/database.ts";
import type { Statement } from "../../../../../src/adapters/postgres/connection/statement.ts";
import { readLogPage } from "../../../../../src/adapters/postgres/repositories/log-statements.ts";

/** A database in which a window of logs has none of an active asset, and so many assets are active. */
function withActiveAssets(assets: number) {
  const sent: Statement[] = [];
  const windowEnd = Buffer.from(`7,2026-02-28 10:20:30,${assets}`);
  const database = {
    queryBytes: async (statement: Statement) => {
      sent.push(statement);
      return [[null, null, Buffer.from("0"), null, windowEnd]];
    },
  } as unknown as Database;
  return { database, sent };
}

for (const [assets, logs] of [
  [10, 2_000],
  [5_000, 200],
  [1_000_000, 20],
] as const) {
  test(`where ${assets} assets are active, a page that is merged asset by asset has at most ${logs} logs`, async () => {
    const { database, sent } = withActiveAssets(assets);
    const scope = { ofActiveAssets: true } as const;
    const first = await readLogPage(database, scope, { performedDate: "infinity", id: 9 }, 5_000);
    assert.deepEqual(first?.next, { performedDate: "2026-02-28T10:20:30", id: 7, byAsset: logs });
    await readLogPage(database, scope, first.next, 5_000);
    assert.ok(sent[0]?.values.includes(2_000));
    assert.ok(sent[1]?.values.includes(logs));
    assert.match(sent[1]?.text ?? "", /from asset where active/);
  });
}
