import type { LogPosition } from "../../../domain/maintenance-log.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import {
  after,
  branchesOf,
  columns,
  type LogPage,
  newestFirst,
  newestOf,
  positions,
  readPacked,
  type Scope,
} from "./log-statements.ts";
import { lastPosition, readPosition } from "./packed-logs.ts";

/** The newest logs of the assets that are active, so many of them. */
export interface ActiveScope extends Scope {
  readonly wanted: number;
}

/**
 * Where a list of the logs of active assets goes on. The logs are found in one of two ways:
 *
 * - in a *window*, the next few thousand logs of any asset, of which those of active assets are read at once
 * - by a *search* in the logs of each active asset, after a window that had few of them. It finds up to a thousand ids, which
 *   are then read a page at a time; after them a window is tried again, because further on such logs may be dense
 */
export interface ActivePlace extends LogPosition {
  /** Whether a search comes next. */
  readonly isSparse?: true;
  /** What a search has found, and no page has had yet. */
  readonly found?: Found;
}

interface Found {
  readonly ids: readonly number[];
  /** Whether there is no log after them. */
  readonly isEnd: boolean;
}

/** Logs of a window. In the text, because PostgreSQL then keeps the plan. */
const [windowRows, windowText] = [4_000, sql`4000`];

/** A search costs PostgreSQL as much as some windows, the more so the more assets are active: so many assets times logs of a window. */
const worthOfWindow = 3_000_000;

/** Logs that a search finds at most. It may sort the square of this. */
const mostFound = 1_000;

const ofActiveAssets = sql`where (select a.active from asset a where a.id = l.asset_id)`;

/** Reads a page of the logs of active assets. Undefined when they come to too many bytes. */
export async function readActivePage(
  database: Database,
  scope: ActiveScope,
  place: ActivePlace,
  most: number,
): Promise<LogPage<ActivePlace> | undefined> {
  if (place.found !== undefined) return readFound(database, place.found, most);
  return place.isSparse ? search(database, scope, place) : readWindow(database, scope, place, most);
}

async function readWindow(database: Database, scope: ActiveScope, place: LogPosition, limit: number) {
  const newest = (shown: Statement) => newestOf(branchesOf(scope), shown, after(scope, place), windowText);
  // Where a window ends that has no more than the page, and the number of active assets.
  const end = sql`
    case when rows < ${limit} then (
      select concat_ws(',', l.id, l.performed_date, (select count(*) from asset where active)) from (
        select ${positions} from (${newest(positions)}) l ${newestFirst} offset ${windowRows - 1} limit 1
      ) l
    ) end`;
  const page = await readPacked(
    database,
    sql`select ${columns} from (${newest(columns)}) l ${ofActiveAssets} ${newestFirst} limit ${limit}`,
    end,
  );
  if (page === undefined) return undefined;
  const { beside, ...read } = page;
  return {
    ...read,
    next: read.rows === limit ? lastPosition(read.logs) : beside && afterWindow(beside, read.rows),
  };
}

/** Where a list goes on after a window of which so many logs were of active assets. */
function afterWindow(end: Uint8Array, rows: number): ActivePlace {
  const assets = Number(Buffer.from(end).toString("latin1").split(",")[2]);
  const position = readPosition(end);
  return rows * assets >= worthOfWindow ? position : { ...position, isSparse: true };
}

/**
 * Finds the newest logs of the assets that are active, within the indexes of each; the page is empty. Only an asset whose newest log is among so
 * many newest ones of assets can have one of so many newest logs: so all assets are asked for one log, and few for more.
 */
async function search(
  { query }: Database,
  scope: ActiveScope,
  place: LogPosition,
): Promise<LogPage<ActivePlace>> {
  const limit = Math.min(scope.wanted, mostFound);
  const newestOfAsset = (most: Statement) =>
    newestOf(branchesOf(scope, sql`l.asset_id = a.id`), positions, after(scope, place), most);
  const rows = await query<{ id: number }>(sql`
    select l.id from (
      select a.id from (select id from asset where active) a
      cross join lateral (${newestOfAsset(sql`1`)}) l ${newestFirst} limit ${limit}
    ) a cross join lateral (${newestOfAsset(sql`${limit}`)}) l ${newestFirst} limit ${limit}`);
  const found = { ids: rows.map(({ id }) => id), isEnd: rows.length < limit };
  return { ...emptyPage, next: rows.length === 0 ? undefined : { ...place, found } };
}

const emptyPage = { rows: 0, bytes: 0, logs: { fields: new Uint8Array(), comments: Buffer.alloc(0) } };

async function readFound(database: Database, { ids, isEnd }: Found, most: number) {
  const wanted = ids.slice(0, most);
  const page = await readPacked(
    database,
    sql`
      select ${columns} from unnest(${`{${wanted}}`}::text::bigint[]) with ordinality as found (id, n) cross join lateral (
        select ${columns} from maintenance_log l where l.id = found.id offset 0
      ) l order by n`,
    sql`null`,
  );
  if (page === undefined) return undefined;
  const { beside: _, ...read } = page;
  const rest = ids.slice(wanted.length);
  if (rest.length === 0 && isEnd) return { ...read, next: undefined };
  const position = lastPosition(read.logs);
  return { ...read, next: rest.length === 0 ? position : { ...position, found: { ids: rest, isEnd } } };
}
