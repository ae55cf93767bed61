import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAssetRepository } from "../../../src/adapters/postgres/repositories/asset-repository.ts";
import { makeMaintenanceLogRepository } from "../../../src/adapters/postgres/repositories/maintenance-log-repository.ts";
import { elementsOf } from "../../../src/application/json-list.ts";
import type { LogList } from "../../../src/application/ports.ts";
import type { LogPosition, LogQuery, MaintenanceLog } from "../../../src/domain/maintenance-log.ts";
import { openDatabase } from "../../support/database.ts";
import { shared } from "../../support/left-open.ts";

const logCount = 9_000;

/**
 * Asset 1 has the older half of all logs, 2 to 9 share the newer half. Of each status and task type there are many logs
 * among the older ones, and few or none for thousands of logs among the newer ones. Assets 10 and 11 have the
 * oldest, of the same times.
 */
const seed = `
  insert into employee (first_name, last_name, phone, email, email_folded, role, password_hash)
  select 'Ada', 'By"ron', '+45 12 34 56', i || '@example.com', i || '@example.com', 'TECHNICIAN', 'none'
  from generate_series(1, 5) i;
  insert into asset (name, description) select 'Asset\t' || i, '' from generate_series(1, 11) i;
  insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
  select timestamp '2024-01-01' + make_interval(mins => i / 3),
    (array['PENDING', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']::log_status[])[case when i > ${logCount / 2} then 1 + (i % 3000 = 0)::int else 1 + i % 4 end],
    (array['PRODUCTION', 'MAINTENANCE', 'ERROR']::task_type[])[case when i > ${logCount / 2} then 1 + (i % 4500 = 0)::int else 1 + i % 3 end],
    case when i % 7 = 0 then e'a,"b"\\\\\\n\\x01\\x1f\\u2028é😀' else 'comment ' || i end,
    case when i <= ${logCount / 2} then 1 else 2 + i % 8 end, 1 + i % 4
  from generate_series(1, ${logCount}) i;
  insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
  select timestamp '2023-01-01' + make_interval(mins => i), 'PENDING', 'ERROR', '', a, 5
  from generate_series(10, 11) a, generate_series(1, 300) i`;

const longComments = `
  insert into maintenance_log (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
  select timestamp '2022-01-01' + make_interval(mins => i), 'PENDING', 'ERROR',
    case when i % 50 < 25 then repeat(e'\\x02', 10000) else '' end, 10, 5
  from generate_series(1, 300) i`;

const filters: readonly LogQuery[] = [undefined, "PENDING", "IN_PROGRESS"].flatMap(status =>
  [undefined, "ERROR"].flatMap(taskType =>
    [undefined, "2024-01-02T00:00:00"].flatMap(performedFrom =>
      [undefined, "2024-01-03T00:00:00"].map(
        performedTo => ({ status, taskType, performedFrom, performedTo }) as LogQuery,
      ),
    ),
  ),
);

describe("lists of logs on PostgreSQL", async () => {
  const opened = await shared(openDatabase());
  const database = opened.connect();
  const logs = makeMaintenanceLogRepository(database);
  const admin = opened.session({ fetch_types: false });
  await admin.unsafe(seed);
  await admin.unsafe("vacuum analyze");

  const lists: readonly {
    name: string;
    where: string;
    of: (query: LogQuery) => LogList;
    hasNoPages?: true;
  }[] = [
    { name: "all", where: "true", of: query => logs.list(query) },
    { name: "an asset's", where: "asset_id = 1", of: query => logs.listOfAsset(1, query) },
    {
      name: "an employee's",
      where: "performed_by_employee_id = 2",
      of: query => logs.listOfPerformer(2, query),
    },
    // The old half, some of the newer half, and what is older than either.
    ...["a.id = 1", "a.id in (3, 10)", "a.id = 10", "a.id >= 10", "a.id > 0"].map(active => ({
      name: `the active assets, which are those whose ${active}`,
      where: active,
      of: ({ limit = logCount * 2, ...filter }: LogQuery) =>
        activated(active, logs.listOfActiveAssets(filter, limit)),
      hasNoPages: true as const,
    })),
  ];

  async function* activated(active: string, list: LogList): LogList {
    await admin.unsafe(`update asset a set active = ${active} where active <> (${active})`);
    yield* list;
  }

  /** A plain statement's conditions and order of a list. */
  function plainly(where: string, filter: LogQuery): string {
    const conditions = [
      where,
      ...(filter.status === undefined ? [] : [`status = '${filter.status}'`]),
      ...(filter.taskType === undefined ? [] : [`task_type = '${filter.taskType}'`]),
      ...(filter.performedFrom === undefined ? [] : [`performed_date >= '${filter.performedFrom}'`]),
      ...(filter.performedTo === undefined ? [] : [`performed_date < '${filter.performedTo}'`]),
    ];
    return `where ${conditions.join(" and ")} order by performed_date desc, l.id desc`;
  }

  /** What a plain statement says that a list has. */
  async function expected(where: string): Promise<MaintenanceLog[]> {
    const rows = await admin.unsafe(`
      select l.id::int, to_json(performed_date)#>>'{}' as "performedDate", status, task_type as "taskType", comment,
        asset_id::int as "assetId", a.name as "assetName", performed_by_employee_id::int as "performedByEmployeeId",
        e.first_name || ' ' || e.last_name as "performedByName"
      from maintenance_log l join asset a on a.id = asset_id join employee e on e.id = performed_by_employee_id
      ${plainly(where, {})}`);
    return rows.map(row => ({ ...row }) as unknown as MaintenanceLog);
  }

  async function expectedIds(where: string, filter: LogQuery): Promise<number[]> {
    const rows = await admin.unsafe(`
      select l.id::int from maintenance_log l join asset a on a.id = asset_id ${plainly(where, filter)}`);
    return rows.map(({ id }) => id);
  }

  interface Walked {
    readonly logs: MaintenanceLog[];
    readonly next: LogPosition | undefined;
  }

  async function read(list: LogList): Promise<Walked> {
    const found: MaintenanceLog[] = [];
    let next: LogPosition | undefined;
    for await (const chunk of list) {
      assert.ok(chunk.content.length <= (64 + 64) * 1024);
      found.push(...elementsOf<MaintenanceLog>(chunk));
      next = chunk.next;
    }
    return { logs: found, next };
  }

  /** Follows the pages of a list to its end. */
  async function walk(of: (query: LogQuery) => LogList, query: LogQuery): Promise<MaintenanceLog[]> {
    const { logs: found, next } = await read(of(query));
    if (next === undefined) return found;
    assert.ok(found.length <= (query.limit ?? 0));
    return [...found, ...(await walk(of, { ...query, before: next }))];
  }

  const idsOf = (list: readonly MaintenanceLog[]) => list.map(({ id }) => id);

  for (const { name, where, of, hasNoPages } of lists) {
    test(`of ${name} are what a plain statement says, whatever the filters`, async () => {
      assert.deepEqual((await read(of({}))).logs, await expected(where));
      for (const filter of filters) {
        const what = `${name} ${JSON.stringify(filter)}`;
        const whole = await expectedIds(where, filter);
        const { logs: found, next } = await read(of(filter));
        assert.deepEqual(idsOf(found), whole, what);
        assert.equal(next, undefined);
        const first = await read(of({ ...filter, limit: 7 }));
        assert.deepEqual(idsOf(first.logs), whole.slice(0, 7), what);
        if (hasNoPages)
          assert.deepEqual(
            idsOf((await read(of({ ...filter, limit: 997 }))).logs),
            whole.slice(0, 997),
            what,
          );
        else assert.deepEqual(idsOf(await walk(of, { ...filter, limit: 997 })), whole, what);
      }
    });
  }

  test("that are read at the same time do not get into each other", async () => {
    const read = async (assetId: number, { listOfAsset } = logs) => {
      const chunks: Buffer[] = [];
      for await (const { content } of listOfAsset(assetId, {})) chunks.push(Buffer.from(content));
      return chunks.join();
    };
    const assets = [1, 2, 3, 4, 5, 10, 11];
    const alone: string[] = [];
    for (const asset of assets) alone.push(await read(asset));
    for (let turn = 0; turn < 5; turn += 1) {
      // All wait for the names, and so go on at the same time.
      const others = makeMaintenanceLogRepository(database);
      assert.deepEqual(await Promise.all(assets.map(id => read(id, others))), alone);
    }
  });

  test("have no page longer than 256 KiB and one log, however long the comments are", async () => {
    await admin.unsafe(longComments);
    const page = async (of: LogQuery) => {
      const chunks: Uint8Array[] = [];
      let next: LogPosition | undefined;
      for await (const chunk of logs.listOfAsset(10, of)) {
        chunks.push(chunk.content);
        next = chunk.next;
      }
      return { bytes: chunks.reduce((sum, { length }) => sum + length, 0), next };
    };
    let before: LogPosition | undefined;
    let pages = 0;
    do {
      const { bytes, next } = await page({ limit: 1_000, before });
      assert.ok(bytes < 256 * 1024 + 62_000, `${bytes} bytes`);
      assert.ok(bytes > 150_000 || next === undefined, `${bytes} bytes`);
      before = next;
      pages += 1;
    } while (before !== undefined);
    assert.ok(pages > 25);
    const walked = await walk(query => logs.listOfAsset(10, query), { limit: 1_000 });
    assert.deepEqual(walked, await expected("asset_id = 10"));
    assert.deepEqual((await read(logs.listOfAsset(10, {}))).logs, walked);
  });

  test("of assets have no longer pages either, and are whole", async () => {
    await admin.unsafe(
      `insert into asset (name, description) select 'Asset', repeat('x', 2000) from generate_series(1, 500)`,
    );
    const lengths: number[] = [];
    const ids: number[] = [];
    for await (const chunk of makeAssetRepository(database).list({ active: undefined })) {
      lengths.push(chunk.content.length);
      ids.push(...elementsOf<{ readonly id: number }>(chunk).map(({ id }) => id));
    }
    const all = await admin.unsafe("select id::int from asset order by id");
    assert.deepEqual(
      ids,
      all.map(({ id }) => id),
    );
    assert.ok(lengths.length > 3);
    assert.ok(
      lengths.every(length => length <= 256 * 1024),
      `${lengths}`,
    );
  });
});
