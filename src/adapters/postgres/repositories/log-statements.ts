import type { LogPosition, LogQuery } from "../../../domain/maintenance-log.ts";
import { mostPageBytes, type Page } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { nothing, type Statement, sql } from "../connection/statement.ts";
import { type ListMemory, type Names, PackedLogs, readPosition } from "./packed-logs.ts";

/** Which logs a list is of. */
export interface Scope extends LogQuery {
  readonly assetId?: number;
  readonly employeeId?: number;
  readonly ofActiveAssets?: true;
}

export interface LogPage extends Page<LogPosition> {
  readonly logs: PackedLogs;
}

/** Logs that one statement looks at in a filtered list. */
const windowRows = 4_000;

/** Active assets that are asked for their newest log, if there are no more. */
const mostAssetsAsked = 1_000;

const newestFirst = sql`order by l.performed_date desc, l.id desc`;

/** The logs that come after a position, up to the start of the period. */
const after = ({ performedFrom }: Scope, { performedDate, id }: LogPosition): Statement => sql`
  (l.performed_date, l.id) < (${performedDate}::text::timestamp, ${id})
  ${performedFrom === undefined ? nothing : sql`and l.performed_date >= ${performedFrom}::text::timestamp`}`;

/**
 * The conditions of two partial indexes (sql/0007_filtered_lists.sql). Both always hold; to state one is to choose its
 * index. Left the choice, the planner hopes to meet the logs of an asset on a walk over all logs by date, and where
 * they are old it walks for ever.
 */
const byDate = sql`l.id > 0`;
const byStatus = sql`l.id > -1`;

/** The part of a list's conditions that its index decides. */
function indexed({ assetId, employeeId, status }: Scope): Statement {
  if (assetId !== undefined) return sql`l.asset_id = ${assetId}`;
  if (employeeId !== undefined) return sql`l.performed_by_employee_id = ${employeeId}`;
  return status === undefined ? byDate : sql`${byStatus} and l.status = ${status}`;
}

/** The other conditions, which few logs may meet; undefined when there are none. */
function filtersOf({ assetId, employeeId, status, taskType, ofActiveAssets }: Scope): Statement | undefined {
  const filters: Statement[] = [];
  if (status !== undefined && (assetId ?? employeeId) !== undefined) filters.push(sql`l.status = ${status}`);
  if (taskType !== undefined) filters.push(sql`l.task_type = ${taskType}`);
  if (ofActiveAssets) filters.push(sql`(select a.active from asset a where a.id = l.asset_id)`);
  return filters.length === 0 ? undefined : filters.reduce((all, filter) => sql`${all} and ${filter}`);
}

const columns = sql`
  l.id, l.performed_date, l.status, l.task_type, l.comment, l.asset_id, l.performed_by_employee_id`;

/** The next rows of a list, in its order, of those that a walk along its index comes to. */
function rowsOf(scope: Scope, walked: Statement, limit: number): Statement {
  const filters = filtersOf(scope);
  if (filters === undefined) {
    return sql`select ${columns} from maintenance_log l where ${walked} ${newestFirst} limit ${limit}`;
  }
  if (scope.assetId === undefined) {
    return sql`
      select ${columns} from (
        select ${columns} from maintenance_log l where ${walked} ${newestFirst} limit ${windowRows}
      ) l where ${filters} ${newestFirst} limit ${limit}`;
  }
  // This index has what the filters ask about, so that only rows that pass are fetched.
  return sql`
    select ${columns} from (
      select l.performed_date, l.id from (
        select l.performed_date, l.id, l.status, l.task_type
        from maintenance_log l where ${walked} ${newestFirst} limit ${windowRows}
      ) l where ${filters} ${newestFirst} limit ${limit}
    ) found cross join lateral (
      select ${columns} from maintenance_log l where l.id = found.id offset 0
    ) l order by found.performed_date desc, found.id desc`;
}

const names = (text: string | undefined): Names => (text === undefined ? {} : JSON.parse(text));

/**
 * Reads a page of logs as PackedLogs has it. However few logs pass the filters, one statement looks at no more than a
 * window of them; the next one goes on from the end of the window.
 */
export async function readLogPage(
  database: Database,
  scope: Scope,
  last: LogPosition,
  limit: number,
  memory: ListMemory,
): Promise<LogPage | undefined> {
  const walked = sql`${after(scope, last)} and ${indexed(scope)}`;
  const endOfWindow = sql`
    case when rows < ${limit} then (
      select concat_ws(',', l.id, l.performed_date) from maintenance_log l
      where ${walked} ${newestFirst} offset ${windowRows - 1} limit 1
    ) end`;
  // The aggregates take the rows in the order of the subquery (PostgreSQL documentation, 9.21). A distinct one among them
  // would let the planner sort the rows for it first, from PostgreSQL 16 on.
  const [row] = await database.queryBytes(sql`
    select fields, comments,
      (select json_object_agg(a.id, a.name) from asset a where a.id = any (asset_ids)),
      (select json_object_agg(e.id, e.first_name || ' ' || e.last_name) from employee e where e.id = any (employee_ids)),
      rows, ${filtersOf(scope) === undefined ? sql`null` : endOfWindow}
    from (
      select
        string_agg(concat_ws(',', l.id, l.performed_date, l.status, l.task_type, l.asset_id,
          l.performed_by_employee_id, octet_length(l.comment), ''), '') as fields,
        string_agg(l.comment, '') as comments,
        array_agg(l.asset_id) as asset_ids,
        array_agg(l.performed_by_employee_id) as employee_ids,
        count(*) as rows
      from (${rowsOf(scope, walked, limit)}) l
    ) page
    where rows <= 1 or octet_length(fields) + octet_length(comments) <= ${mostPageBytes}`);
  if (row === undefined) return undefined;
  const [fields, comments, assetNames, employeeNames, count, windowEnd] = row;
  const rows = Number(count);
  memory.assets.know(names(assetNames?.toString()));
  memory.performers.know(names(employeeNames?.toString()));
  const logs = new PackedLogs(fields ?? Buffer.alloc(0), comments ?? Buffer.alloc(0), memory);
  const isFull = rows === limit;
  const end = isFull ? logs.lastPosition : windowEnd == null ? undefined : readPosition(windowEnd);
  const isVain = scope.ofActiveAssets === true && rows === 0 && end !== undefined;
  const next = isVain ? await nextOfActiveAssets(database, scope, end) : end;
  return { logs, rows, bytes: logs.bytes, next, pieces: () => logs.pieces(next) };
}

/**
 * Where the walk over the logs of active assets goes on when there was none of them in a window: where one of these assets
 * has its next log, or where the walk has come if they are too many to ask. Answers undefined when there is none.
 */
async function nextOfActiveAssets(
  database: Database,
  scope: Scope,
  last: LogPosition,
): Promise<LogPosition | undefined> {
  const [found] = await database.query<{ assets: number; id: number | null; performedDate: string }>(sql`
    with active as materialized (select id from asset where active limit ${mostAssetsAsked + 1})
    select (select count(*) from active) as assets, id, performed_date as "performedDate"
    from (values (1)) as one left join (
      select log.performed_date, log.id from active cross join lateral (
        select l.performed_date, l.id from maintenance_log l
        where l.asset_id = active.id and ${after(scope, last)} ${newestFirst} limit 1
      ) log
      order by log.performed_date desc, log.id desc limit 1
    ) newest on true`);
  if (found === undefined || found.assets > mostAssetsAsked) return last;
  return found.id === null ? undefined : { id: found.id + 1, performedDate: found.performedDate };
}
