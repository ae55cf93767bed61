import { type LogPosition, type LogQuery, logStatuses, taskTypes } from "../../../domain/maintenance-log.ts";
import { type Page, pageBytes } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { knownWord, nothing, type Statement, sql, unionOf } from "../connection/statement.ts";
import { assetJson, fullName, type Names, performerJson } from "./names.ts";
import { lastPosition, type PackedLogs, readPosition, words } from "./packed-logs.ts";

/** Which logs a list is of. */
export interface Scope extends LogQuery {
  readonly assetId?: number;
  readonly employeeId?: number;
  readonly ofActiveAssets?: true;
}

/**
 * Where a list goes on. A page of the logs of active assets is found in one of two ways: in a *window*, the next few thousand
 * logs of any asset, or *merged* from the logs of each active asset. After a window with few logs of active assets the next page
 * is merged; after that a window is tried again, because further on such logs may be dense.
 */
export interface Cursor extends LogPosition {
  /** Set where the next page is merged: the most logs that it may have. */
  readonly byAsset?: number;
}

export interface LogPage extends Page<Cursor> {
  readonly logs: PackedLogs;
  /** The name of the asset or performer whose list it is, since perhaps no other list has asked for it lately. */
  readonly names?: Partial<Names>;
  /** What that would be, where there is none. */
  readonly missing?: "Asset" | "Employee";
}

// Numbers that are in the text of the statement, because PostgreSQL then keeps the plan: to plan each page anew takes a
// quarter of its time.
/** Logs that one statement reads. */
const [mostRows, mostRowsText] = [2_000, sql`2000`];
/** Logs of which one statement asks whether their assets are active. */
const [windowRows, windowText] = [4_000, sql`4000`];

/** Logs of active assets in a window after which the next window is read: fewer where many assets are active, since merging then costs more. */
const [fewestOfWindow, windowWorth] = [40, 40_000];

/** Logs that one statement sorts where it merges asset by asset: of each asset it takes as many as the page may have. */
const mostMerged = 1_000_000;
/** The page may have so many, however many assets are active. */
const fewestMerged = 20;

const newestFirst = sql`order by l.performed_date desc, l.id desc`;
const positions = sql`l.performed_date, l.id`;
const columns = sql`${positions}, l.status, l.task_type, l.comment, l.asset_id, l.performed_by_employee_id`;
const ofActiveAssets = sql`where (select a.active from asset a where a.id = l.asset_id)`;

/** The value for a column that has one of these words, and an empty text for any other. */
function choose(column: Statement, choices: readonly string[], valueFor: (word: string) => Statement) {
  const cases = choices.map(word => sql`when ${knownWord(word)} then ${valueFor(word)}`);
  return sql`case ${column} ${cases.reduce((all, next) => sql`${all} ${next}`)} else '' end`;
}

/** Where the words of a log are in `words`. */
const wordsIndex = choose(sql`l.status`, logStatuses, status =>
  choose(sql`l.task_type`, taskTypes, taskType =>
    knownWord(String(words.findIndex(each => each.status === status && each.taskType === taskType))),
  ),
);

/** The logs that come after a position, up to the start of the period. */
const after = ({ performedFrom }: Scope, { performedDate, id }: LogPosition): Statement => sql`
  (l.performed_date, l.id) < (${performedDate}::text::timestamp, ${id})
  ${performedFrom === undefined ? nothing : sql`and l.performed_date >= ${performedFrom}::text::timestamp`}`;

/** The asset or performer whose logs a list has. */
interface Subject {
  readonly kind: "Asset" | "Employee";
  /** Which logs are its own. */
  readonly condition: Statement;
  readonly name: Statement;
  readonly named: (name: string) => Partial<Names>;
}

/** Undefined for a list of everybody's logs. */
function subjectOf({ assetId, employeeId }: Scope): Subject | undefined {
  if (assetId !== undefined)
    return {
      kind: "Asset",
      condition: sql`l.asset_id = ${assetId}`,
      name: sql`(select name from asset where id = ${assetId})`,
      named: name => ({ assets: new Map([[assetId, assetJson(assetId, name)]]) }),
    };
  if (employeeId === undefined) return undefined;
  return {
    kind: "Employee",
    condition: sql`l.performed_by_employee_id = ${employeeId}`,
    name: sql`(select ${fullName} from employee where id = ${employeeId})`,
    named: name => ({ performers: new Map([[employeeId, performerJson(employeeId, name)]]) }),
  };
}

/**
 * Conditions that always hold, and are those of partial indexes (sql/0003_maintenance_log.sql): to state none, or the one that
 * asks for less, is to leave out the indexes of longer lists. Left the choice, the planner hopes to meet the logs of an
 * asset in a scan of all logs by date, and where they are old it scans for ever.
 */
const [byDate, byOneColumn] = [sql`l.id > 0`, sql`l.id > -1`];

/**
 * The conditions of lists whose newest logs are those of the list, each of which has an index in its order: one list for each
 * status and task type, unless there is an index without these.
 */
function branchesOf({ employeeId, status, taskType }: Scope, ofSubject?: Statement): readonly Statement[] {
  const hasWords = (status ?? taskType) !== undefined;
  if (!hasWords && employeeId === undefined)
    return [ofSubject ? sql`${ofSubject} and ${byOneColumn}` : byDate];
  return (status === undefined ? logStatuses : [status]).flatMap(status =>
    (taskType === undefined ? taskTypes : [taskType]).map(
      taskType => sql`${ofSubject ?? byOneColumn} and l.status = ${status} and l.task_type = ${taskType}`,
    ),
  );
}

/** The newest logs of some lists. PostgreSQL merges these, and reads no more of each than it needs. */
function newestOf(branches: readonly Statement[], shown: Statement, afterLast: Statement, limit: Statement) {
  const all = branches.map(
    branch =>
      sql`select ${shown} from maintenance_log l where ${afterLast} and ${branch} ${newestFirst} limit ${limit}`,
  );
  return sql`select ${shown} from (${unionOf(all)}) l ${newestFirst} limit ${limit}`;
}

/** The newest logs of the assets that are active, found within the indexes of each. */
const mergedByAsset = (scope: Scope, afterLast: Statement, limit: Statement): Statement => sql`
  select ${columns} from (
    select ${positions} from (select id from asset where active) a cross join lateral (
      ${newestOf(branchesOf(scope, sql`l.asset_id = a.id`), positions, afterLast, limit)}
    ) l ${newestFirst} limit ${limit}
  ) found cross join lateral (
    select ${columns} from maintenance_log l where l.id = found.id offset 0
  ) l order by found.performed_date desc, found.id desc`;

/** Reads a page of logs as PackedLogs has it. */
export async function readLogPage(
  { queryBytes }: Database,
  scope: Scope,
  last: Cursor,
  most: number,
): Promise<LogPage | undefined> {
  const limit = Math.min(most, last.byAsset ?? mostRows);
  const subject = subjectOf(scope);
  const afterLast = after(scope, last);
  const newest = (shown: Statement, rows: Statement) =>
    newestOf(branchesOf(scope, subject?.condition), shown, afterLast, rows);
  const isMerged = last.byAsset !== undefined;
  const isWindow = scope.ofActiveAssets && !isMerged;
  const rowsFound = isMerged
    ? mergedByAsset(scope, afterLast, sql`${limit}`)
    : sql`
      select ${columns} from (${newest(columns, isWindow ? windowText : mostRowsText)}) l
      ${isWindow ? ofActiveAssets : nothing} ${newestFirst} limit ${limit}`;
  // Position, and the number of active assets, as `afterWindow` reads them.
  const endOfWindow = sql`
    case when rows < ${limit} then (
      select concat_ws(',', l.id, l.performed_date, (select count(*) from asset where active)) from (
        select ${positions} from (${newest(positions, windowText)}) l ${newestFirst} offset ${windowRows - 1} limit 1
      ) l
    ) end`;
  // The aggregates take the rows in the order of the subquery (PostgreSQL documentation, 9.21). A distinct one among them
  // would let the planner sort the rows for it first, from PostgreSQL 16 on.
  const [row] = await queryBytes(sql`
    select fields, comments, rows, ${subject?.name ?? sql`null`}, ${isWindow ? endOfWindow : sql`null`}
    from (
      select
        string_agg(concat_ws(',', l.id, l.performed_date, ${wordsIndex}, l.asset_id,
          l.performed_by_employee_id, octet_length(l.comment), ''), '') as fields,
        string_agg(l.comment, '') as comments,
        count(*) as rows
      from (${rowsFound}) l
    ) page
    where rows <= 1 or octet_length(fields) + octet_length(comments) <= ${pageBytes}`);
  if (row === undefined) return undefined;
  const [fields = Buffer.alloc(0), comments = Buffer.alloc(0), count, name, windowEnd] = row.map(
    column => column ?? undefined,
  );
  const logs = { fields, comments };
  const rows = Number(count);
  return {
    rows,
    bytes: fields.length + comments.length,
    next: rows === limit ? lastPosition(logs) : windowEnd && afterWindow(windowEnd, rows),
    logs,
    ...(subject && (name === undefined ? { missing: subject.kind } : { names: subject.named(String(name)) })),
  };
}

/** Where a list goes on after a window of which so many logs were of active assets. */
function afterWindow(end: Uint8Array, rows: number): Cursor {
  const assets = Number(Buffer.from(end).toString("latin1").split(",")[2]);
  const position = readPosition(end);
  if (rows >= Math.max(fewestOfWindow, windowWorth / assets)) return position;
  const byAsset = Math.max(fewestMerged, Math.min(Math.floor(mostMerged / assets), mostRows));
  return { ...position, byAsset };
}
