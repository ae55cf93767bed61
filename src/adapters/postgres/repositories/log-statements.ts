import { type LogPosition, type LogQuery, logStatuses, taskTypes } from "../../../domain/maintenance-log.ts";
import { type Page, pageBytes } from "../batching/pages.ts";
import type { Database } from "../connection/database.ts";
import { knownWord, nothing, type Statement, sql, unionOf, wholeNumber } from "../connection/statement.ts";
import { fullName, type Names, nameJson } from "./names.ts";
import { lastPosition, type PackedLogs, words } from "./packed-logs.ts";

/** Which logs a list is of. */
export interface Scope extends LogQuery {
  readonly assetId?: number;
  readonly employeeId?: number;
}

/** @typeParam Key where the list goes on */
export interface LogPage<Key = LogPosition> extends Page<Key> {
  readonly logs: PackedLogs;
  /** The name of the asset or performer whose list it is, since perhaps no other list has asked for it lately. */
  readonly names?: Partial<Names>;
  /** The kind of that asset or performer, where its table has none of this id. The page may have logs all the same. */
  readonly missing?: "Asset" | "Employee";
}

/** The order of all lists of logs: the newest first. */
export const inOrder = sql`order by l.performed_date desc, l.id desc`;
export const positions = sql`l.performed_date, l.id`;
export const columns = sql`${positions}, l.status, l.task_type, l.comment, l.asset_id, l.performed_by_employee_id`;

/** The value for the word that a column has, of these words; an empty text for any other word. */
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
interface ListOwner {
  readonly kind: "Asset" | "Employee";
  /** Which logs are its own. */
  readonly condition: Statement;
  readonly name: Statement;
  readonly named: (name: string) => Partial<Names>;
}

/** Undefined for a list of everybody's logs. */
function ownerOf({ assetId, employeeId }: Scope): ListOwner | undefined {
  if (assetId !== undefined)
    return {
      kind: "Asset",
      condition: sql`l.asset_id = ${assetId}`,
      name: sql`(select name from asset where id = ${assetId})`,
      named: name => ({ assets: new Map([[assetId, nameJson.assets(assetId, name)]]) }),
    };
  if (employeeId === undefined) return undefined;
  return {
    kind: "Employee",
    condition: sql`l.performed_by_employee_id = ${employeeId}`,
    name: sql`(select ${fullName} from employee where id = ${employeeId})`,
    named: name => ({ performers: new Map([[employeeId, nameJson.performers(employeeId, name)]]) }),
  };
}

/**
 * Conditions that hold for each log. Of the partial indexes in sql/0003_maintenance_log.sql, that of all logs by date has `id > 0`, and
 * the others have `id > -1`. The planner takes one only if the conditions of the statement imply its own, so `withoutDateIndex` leaves out
 * the index by date: along it, the planner would read all logs from the newest on to find those of one asset, which may all be old.
 */
export const [withDateIndex, withoutDateIndex] = [sql`l.id > 0`, sql`l.id > -1`];

/**
 * The conditions of the branches of a list, each of which an index has in its order. Indexes without words (status, task type) exist for
 * all logs and for an asset; any other list has a branch for each status and task type. The indexes with owner and words are not partial.
 */
function branchesOf({ employeeId, status, taskType }: Scope, ofOwner?: Statement): readonly Statement[] {
  const hasWords = (status ?? taskType) !== undefined;
  if (!hasWords && employeeId === undefined)
    return [ofOwner ? sql`${ofOwner} and ${withoutDateIndex}` : withDateIndex];
  return (status === undefined ? logStatuses : [status]).flatMap(status =>
    (taskType === undefined ? taskTypes : [taskType]).map(
      taskType => sql`${ofOwner ?? withoutDateIndex} and l.status = ${status} and l.task_type = ${taskType}`,
    ),
  );
}

/**
 * The newest logs that a list has after a position. PostgreSQL merges its branches, and reads no more of each than it needs.
 *
 * @param ofOwner which logs are those of its asset or performer, if it is the list of one
 */
export function newestOf(
  scope: Scope,
  last: LogPosition,
  shown: Statement,
  limit: Statement,
  ofOwner?: Statement,
): Statement {
  const afterLast = after(scope, last);
  const all = branchesOf(scope, ofOwner).map(
    branch =>
      sql`select ${shown} from maintenance_log l where ${afterLast} and ${branch} ${inOrder} limit ${limit}`,
  );
  return sql`select ${shown} from (${unionOf(all)}) l ${inOrder} limit ${limit}`;
}

/**
 * Reads a page; the caller adds where the list goes on. Undefined when the logs come to too many bytes.
 *
 * @param found rows of `columns`, in the order of the page
 * @param extra a value that the same statement reads; it may use the page's `rows`
 */
export async function readPacked({ queryBytes }: Database, found: Statement, extra = sql`null`) {
  // The aggregates take the rows in the order of the subquery (PostgreSQL documentation, 9.21). A distinct one among them
  // would let the planner sort the rows for it first, from PostgreSQL 16 on.
  const [row] = await queryBytes(sql`
    select fields, comments, rows, ${extra} from (
      select
        string_agg(concat_ws(',', l.id, l.performed_date, ${wordsIndex}, l.asset_id,
          l.performed_by_employee_id, octet_length(l.comment), ''), '') as fields,
        string_agg(l.comment, '') as comments,
        count(*) as rows
      from (${found}) l
    ) page
    where rows <= 1 or octet_length(fields) + octet_length(comments) <= ${pageBytes}`);
  if (row === undefined) return undefined;
  const [fields, comments, rows, text] = row;
  const logs = { fields: fields ?? Buffer.alloc(0), comments: comments ?? Buffer.alloc(0) };
  const bytes = logs.fields.length + logs.comments.length;
  return { rows: Number(rows), bytes, logs, extra: text?.toString() };
}

/** The limit of each branch, in the text: PostgreSQL then keeps the plan, which would take a quarter of a page's time. That of a page is a value. */
const mostRows = 2_000;

/** Reads a page of all logs, or of those of an asset or a performer. */
export async function readLogPage(
  database: Database,
  scope: Scope,
  last: LogPosition,
  most: number,
): Promise<LogPage | undefined> {
  const limit = Math.min(most, mostRows);
  const owner = ownerOf(scope);
  const newest = newestOf(scope, last, columns, wholeNumber(mostRows), owner?.condition);
  const page = await readPacked(
    database,
    sql`select ${columns} from (${newest}) l ${inOrder} limit ${limit}`,
    owner?.name,
  );
  if (page === undefined) return undefined;
  const { rows, logs, extra: name } = page;
  return {
    ...page,
    next: rows === limit ? lastPosition(logs) : undefined,
    ...(owner && (name === undefined ? { missing: owner.kind } : { names: owner.named(name) })),
  };
}
