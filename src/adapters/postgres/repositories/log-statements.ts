import { type LogPosition, type LogQuery, logStatuses, taskTypes } from "../../../domain/maintenance-log.ts";
import { type Page, pageBytes } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { nothing, type Statement, sql } from "../connection/statement.ts";
import { assetJson, type Names, performerJson } from "./names.ts";
import { lastPosition, type PackedLogs, readPosition } from "./packed-logs.ts";

/** Which logs a list is of. */
export interface Scope extends LogQuery {
  readonly assetId?: number;
  readonly employeeId?: number;
  readonly ofActiveAssets?: true;
}

/** Where a list goes on, and whether its next page is merged, if it can be: few logs passed its filters before. */
export interface Cursor extends LogPosition {
  readonly mergesNext?: boolean;
}

export interface LogPage extends Page<Cursor> {
  readonly logs: PackedLogs;
  /** The name of the asset or performer whose list it is. */
  readonly owner?: Partial<Names>;
  /** What the owner would be, where there is none. */
  readonly missing?: "Asset" | "Employee";
}

/** Logs that one statement scans in a filtered list. */
const windowRows = 4_000;
/** In a merge: so many positions of each branch are scanned. */
const mergedWindowRows = 1_000;
/** Where fewer logs of a window pass the filters, the next page is merged. */
const fewPass = 40;
/** Logs of each active asset that one statement scans where few logs are of active assets. */
const mostOfAsset = 100;
// Logs that one statement reads of a list without filters. The number is in the text of the statement, because PostgreSQL
// then keeps the plan: to plan each page anew takes a quarter of its time.
const [mostRows, mostRowsText] = [2_000, sql`2000`];

const newestFirst = sql`order by l.performed_date desc, l.id desc`;

/** The logs that come after a position, up to the start of the period. */
const after = ({ performedFrom }: Scope, { performedDate, id }: LogPosition): Statement => sql`
  (l.performed_date, l.id) < (${performedDate}::text::timestamp, ${id})
  ${performedFrom === undefined ? nothing : sql`and l.performed_date >= ${performedFrom}::text::timestamp`}`;

/**
 * The conditions of two partial indexes (sql/0003_maintenance_log.sql). Both always hold; to state one is to choose its
 * index. Left the choice, the planner hopes to meet the logs of an asset in a scan of all logs by date, and where
 * they are old it scans for ever.
 */
const byDate = sql`l.id > 0`;
const byStatus = sql`l.id > -1`;

/** The part of a list's conditions that its index decides. */
function indexed({ assetId, employeeId }: Scope): Statement {
  if (assetId !== undefined) return sql`l.asset_id = ${assetId}`;
  return employeeId === undefined ? byDate : sql`l.performed_by_employee_id = ${employeeId}`;
}

const isOfActiveAsset = sql`(select a.active from asset a where a.id = l.asset_id)`;

/** The other conditions, which few logs may meet; undefined when there are none. */
function filtersOf({ status, taskType, ofActiveAssets }: Scope): Statement | undefined {
  const filters: Statement[] = [];
  if (status !== undefined) filters.push(sql`l.status = ${status}`);
  if (taskType !== undefined) filters.push(sql`l.task_type = ${taskType}`);
  if (ofActiveAssets) filters.push(isOfActiveAsset);
  return filters.length === 0 ? undefined : filters.reduce((all, filter) => sql`${all} and ${filter}`);
}

/** A list that is the newest logs of a few others, each of which has an index in its order. */
interface Merge {
  /** What there is a list of for each row; the logs of each are those that meet the conditions. */
  readonly branches: Statement;
  readonly conditions: Statement;
  readonly mostRows: number;
  /** What else has to hold for a log, as those of `filtersOf`. */
  readonly filters: Statement | undefined;
}

/** How a list is merged that would else be filtered out of all logs. */
function mergeOf(scope: Scope, mergesNext: boolean): Merge | undefined {
  const { assetId, employeeId, status, taskType, ofActiveAssets } = scope;
  if ((assetId ?? employeeId) !== undefined) return undefined;
  if ((status ?? taskType) !== undefined) {
    const each = (words: readonly string[]) => sql`unnest(string_to_array(${words.join()}, ','))`;
    return {
      branches: sql`
        ${each(status === undefined ? logStatuses : [status])} status
        cross join ${each(taskType === undefined ? taskTypes : [taskType])} task_type`,
      conditions: sql`${byStatus} and l.status = status.status and l.task_type = task_type.task_type`,
      mostRows,
      filters: ofActiveAssets && isOfActiveAsset,
    };
  }
  if (!ofActiveAssets || !mergesNext) return undefined;
  const branches = sql`(select id from asset where active) a`;
  return { branches, conditions: sql`l.asset_id = a.id`, mostRows: mostOfAsset, filters: undefined };
}

/** Where the newest logs of all branches are, found within the index. */
const mergedPositions = (
  { branches, conditions }: Merge,
  afterLast: Statement,
  limit: Statement,
): Statement => sql`
  select l.performed_date, l.id from ${branches} cross join lateral (
    select l.performed_date, l.id from maintenance_log l
    where ${afterLast} and ${conditions} ${newestFirst} limit ${limit}
  ) l ${newestFirst} limit ${limit}`;

const columns = sql`
  l.id, l.performed_date, l.status, l.task_type, l.comment, l.asset_id, l.performed_by_employee_id`;

const rowsAt = (positions: Statement): Statement => sql`
  select ${columns} from (${positions}) found cross join lateral (
    select ${columns} from maintenance_log l where l.id = found.id offset 0
  ) l order by found.performed_date desc, found.id desc`;

/** The next rows of a list that is merged, in its order. */
function mergedRowsOf(merge: Merge, afterLast: Statement, limit: number): Statement {
  if (merge.filters === undefined) return rowsAt(mergedPositions(merge, afterLast, sql`${limit}`));
  return sql`
    select ${columns} from (${rowsAt(mergedPositions(merge, afterLast, sql`${mergedWindowRows}`))}) l
    where ${merge.filters} ${newestFirst} limit ${limit}`;
}

/** The next rows of a list, in its order, of those that a scan of its index comes to. */
function rowsOf(scope: Scope, scanned: Statement, limit: number): Statement {
  const filters = filtersOf(scope);
  const first = (rows: Statement) =>
    sql`(select ${columns} from maintenance_log l where ${scanned} ${newestFirst} limit ${rows}) l`;
  if (filters === undefined) return sql`select ${columns} from ${first(mostRowsText)} limit ${limit}`;
  if (scope.assetId === undefined)
    return sql`select ${columns} from ${first(sql`${windowRows}`)} where ${filters} ${newestFirst} limit ${limit}`;
  // This index has what the filters ask about, so that only rows that pass are fetched.
  return rowsAt(sql`
    select l.performed_date, l.id from (
      select l.performed_date, l.id, l.status, l.task_type
      from maintenance_log l where ${scanned} ${newestFirst} limit ${windowRows}
    ) l where ${filters} ${newestFirst} limit ${limit}`);
}

/** The name of the asset or performer whose list it is: no other list may have asked for it lately. */
function ownerNameOf({ assetId, employeeId }: Scope): Statement {
  if (assetId !== undefined) return sql`(select name from asset where id = ${assetId})`;
  if (employeeId === undefined) return sql`null`;
  return sql`(select first_name || ' ' || last_name from employee where id = ${employeeId})`;
}

/**
 * Reads a page of logs as PackedLogs has it. However few logs pass the filters, one statement scans no more than a
 * window of them; the next one goes on from the end of the window.
 */
export async function readLogPage(
  { queryBytes }: Database,
  scope: Scope,
  last: Cursor,
  most: number,
): Promise<LogPage | undefined> {
  const merge = mergeOf(scope, last.mergesNext === true);
  const limit = Math.min(most, merge?.mostRows ?? mostRows);
  const afterLast = after(scope, last);
  const scanned = sql`${afterLast} and ${indexed(scope)}`;
  const isFiltered = (merge ? merge.filters : filtersOf(scope)) !== undefined;
  const [window, lastOfWindow] = merge
    ? [sql`(${mergedPositions(merge, afterLast, sql`${mergedWindowRows}`)}) l`, mergedWindowRows - 1]
    : [sql`maintenance_log l where ${scanned}`, windowRows - 1];
  const endOfWindow = sql`
    case when rows < ${limit} then (
      select concat_ws(',', l.id, l.performed_date) from ${window} ${newestFirst} offset ${lastOfWindow} limit 1
    ) end`;
  // The aggregates take the rows in the order of the subquery (PostgreSQL documentation, 9.21). A distinct one among them
  // would let the planner sort the rows for it first, from PostgreSQL 16 on.
  const [row] = await queryBytes(sql`
    select fields, comments, rows, ${isFiltered ? endOfWindow : sql`null`}, ${ownerNameOf(scope)}
    from (
      select
        string_agg(concat_ws(',', l.id, l.performed_date, l.status, l.task_type, l.asset_id,
          l.performed_by_employee_id, octet_length(l.comment), ''), '') as fields,
        string_agg(l.comment, '') as comments,
        count(*) as rows
      from (${merge ? mergedRowsOf(merge, afterLast, limit) : rowsOf(scope, scanned, limit)}) l
    ) page
    where rows <= 1 or octet_length(fields) + octet_length(comments) <= ${pageBytes}`);
  if (row === undefined) return undefined;
  const [fields = Buffer.alloc(0), comments = Buffer.alloc(0), count, windowEnd, ownerName] = row.map(
    column => column ?? undefined,
  );
  const logs = { fields, comments };
  const rows = Number(count);
  const mergesNext = merge !== undefined || rows < Math.min(limit, fewPass);
  const end = rows === limit ? lastPosition(logs) : windowEnd && readPosition(windowEnd);
  return {
    rows,
    bytes: fields.length + comments.length,
    next: end && { ...end, mergesNext },
    logs,
    ...ownerOf(scope, ownerName?.toString()),
  };
}

/** The asset or performer whose list it is: its name, or that there is none. */
function ownerOf({ assetId, employeeId }: Scope, name?: string): Pick<LogPage, "owner" | "missing"> {
  if (assetId !== undefined) {
    if (name === undefined) return { missing: "Asset" };
    return { owner: { assets: new Map([[assetId, assetJson(assetId, name)]]) } };
  }
  if (employeeId === undefined) return {};
  if (name === undefined) return { missing: "Employee" };
  return { owner: { performers: new Map([[employeeId, performerJson(employeeId, name)]]) } };
}
