import type { JsonList } from "../../../application/json-list.ts";
import type { MaintenanceLogRepository } from "../../../application/ports.ts";
import { notFound } from "../../../domain/error.ts";
import {
  type LogFilter,
  type LogPosition,
  type LogQuery,
  type MaintenanceLog,
  startOf,
} from "../../../domain/maintenance-log.ts";
import { pages, readPage } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { nothing, type Statement, sql } from "../connection/statement.ts";
import { logs, logsOf } from "./log-rows.ts";

type LogLists = Pick<
  MaintenanceLogRepository,
  "list" | "listOfAsset" | "listOfPerformer" | "listOfActiveAssets"
>;

/** The position before every log. */
const beforeAll: LogPosition = { performedDate: "infinity", id: Number.MAX_SAFE_INTEGER };

/** Logs looked at for each log wanted of the active assets, before it is the assets that are asked. */
const activeWindow = 10;

interface Scope extends LogQuery {
  readonly assetId?: number;
  readonly employeeId?: number;
}

/** What a scope asks of a log that comes after a position. */
function asked(scope: Scope, { performedDate, id }: LogPosition): Statement {
  const { assetId, employeeId, status, taskType, performedFrom } = scope;
  return sql`(l.performed_date, l.id) < (${performedDate}::text::timestamp, ${id})
    ${performedFrom === undefined ? nothing : sql`and l.performed_date >= ${performedFrom}::text::timestamp`}
    ${assetId === undefined ? nothing : sql`and l.asset_id = ${assetId}`}
    ${employeeId === undefined ? nothing : sql`and l.performed_by_employee_id = ${employeeId}`}
    ${status === undefined ? nothing : sql`and l.status = ${status}`}
    ${taskType === undefined ? nothing : sql`and l.task_type = ${taskType}`}`;
}

const byDate = sql`l.id > 0`;

/**
 * States the condition of a partial index (sql/0007_filtered_lists.sql). It always holds; to state it is to choose the
 * index. Left the choice, the planner hopes to meet the logs of an asset on a walk over all logs by date, and where
 * they are old it walks for ever.
 */
function choiceOfIndex({ assetId, employeeId, status }: Scope): Statement {
  if ((assetId ?? employeeId) !== undefined) return nothing;
  return status === undefined ? sql`and ${byDate}` : sql`and l.id > -1`;
}

export function makeLogLists(database: Database): LogLists {
  const { query } = database;
  const read = (rows: Statement) => readPage(database, () => rows);

  const list = (scope: Scope): JsonList<MaintenanceLog> =>
    pages(
      startOf(scope) ?? beforeAll,
      (last: LogPosition, limit) =>
        read(
          sql`
            ${logs} where ${asked(scope, last)} ${choiceOfIndex(scope)}
            order by l.performed_date desc, l.id desc limit ${limit}`,
        ),
      { wanted: scope.limit },
    );

  /** Active assets own most of the newest logs, as a rule; the window bounds the walk where they do not. */
  const amongNewest = (limit: number, filter: LogFilter) => {
    const start = startOf(filter) ?? beforeAll;
    const newest = sql`(
      select id, performed_date, status, task_type, comment, asset_id, performed_by_employee_id
      from maintenance_log l where ${asked({}, start)} and ${byDate}
      order by performed_date desc, id desc limit ${activeWindow * limit})`;
    return read(
      sql`
        ${logsOf(newest)} where a.active and ${asked(filter, start)}
        order by l.performed_date desc, l.id desc limit ${limit}`,
    );
  };

  /** However few assets are active: one probe for each, then only those that wrote last can have the newest logs. */
  const ofEachActiveAsset = (limit: number, filter: LogFilter) => {
    const start = startOf(filter) ?? beforeAll;
    const newestOf = (asset: Statement, count: number) => sql`
      select performed_date, id from maintenance_log l where l.asset_id = ${asset} and ${asked(filter, start)}
      order by performed_date desc, id desc limit ${count}`;
    return read(
      sql`
        with wrote_last as (
          select asset.id from asset cross join lateral (${newestOf(sql`asset.id`, 1)}) latest
          where asset.active order by latest.performed_date desc, latest.id desc limit ${limit}
        ), newest as (
          select log.id from wrote_last cross join lateral (${newestOf(sql`wrote_last.id`, limit)}) log
          order by log.performed_date desc, log.id desc limit ${limit}
        )
        ${logs} where l.id in (select id from newest) order by l.performed_date desc, l.id desc`,
    );
  };

  return {
    list,

    async *listOfAsset(assetId, part) {
      const found = () => query(sql`select id from asset where id = ${assetId}`);
      yield* orNotFound(list({ ...part, assetId }), found, "Asset");
    },

    async *listOfPerformer(employeeId, part) {
      const found = () => query(sql`select id from employee where id = ${employeeId}`);
      yield* orNotFound(list({ ...part, employeeId }), found, "Employee");
    },

    async *listOfActiveAssets(limit, filter) {
      const recent = await amongNewest(limit, filter);
      const page = recent?.rows === limit ? recent : await ofEachActiveAsset(limit, filter);
      if (page !== undefined) yield page.json;
    },
  };
}

/** Asks for the list's owner only when there is nothing to list: owners are never deleted, so later is soon enough. */
async function* orNotFound(
  list: JsonList<MaintenanceLog>,
  found: () => Promise<readonly unknown[]>,
  owner: "Asset" | "Employee",
): JsonList<MaintenanceLog> {
  let empty = true;
  for await (const piece of list) {
    empty = false;
    yield piece;
  }
  if (empty && (await found()).length === 0) throw notFound(owner);
}
