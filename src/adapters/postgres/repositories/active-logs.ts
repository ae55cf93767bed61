import { Turns } from "../../../application/turns.ts";
import type { LogPosition, LogQuery } from "../../../domain/maintenance-log.ts";
import type { Database } from "../connection/database.ts";
import { asLookup, idArray, type Statement, sql, wholeNumber } from "../connection/statement.ts";
import { columns, inOrder, type LogPage, newestOf, positions, readPacked } from "./log-statements.ts";
import { lastPosition } from "./packed-logs.ts";

/** Where a list goes on: after a log, or with what a search has found and no page has had yet. */
export type ActivePlace = LogPosition | Found;

interface Found {
  readonly ids: readonly number[];
  /** Whether there is no log after them. */
  readonly isEnd: boolean;
}

/** The last log of a window, when the page has all that the window has of active assets. */
interface WindowEnd extends LogPosition {
  readonly activeAssets: number;
}

/** Logs of a window. In the text, because PostgreSQL then keeps the plan. */
const windowRows = 4_000;

/** A search costs more with each active asset. So windows go on while the logs found in one, times the active assets, are at least this. */
const denseWindow = 3_000_000;

/** Logs that a search finds at most. It may sort the square of this. */
const mostFound = 1_000;

/** A search may take a second of a connection of the pool, which others need. All wait in one line: its path, [], has no names. */
const searchLimits = { working: 2, waiting: 20 };

const ofActiveAssets = sql`where (select a.active from asset a where a.id = l.asset_id)`;

/**
 * The newest logs of the assets that are active. They are found in one of two ways:
 *
 * - in a *window*, the next few thousand logs of any asset, of which those of active assets are read at once
 * - by a *search* in the logs of each active asset, after a window that had few of them. It finds up to a thousand ids, which
 *   are then read a page at a time; after them a window is tried again, because further on such logs may be dense
 */
export class ActiveLogs {
  readonly #database: Database;
  readonly #searches = new Turns(searchLimits);

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reads a page of a list; undefined when its logs come to too many bytes. Throws UNAVAILABLE where too many wait for a search. */
  async readPage(
    query: LogQuery,
    listRows: number,
    place: ActivePlace,
    pageRows: number,
  ): Promise<LogPage<ActivePlace> | undefined> {
    if ("ids" in place) return this.#readFound(place, pageRows);
    const newest = (shown: Statement) => newestOf(query, place, shown, wholeNumber(windowRows));
    const page = await readPacked(
      this.#database,
      sql`select ${columns} from (${newest(columns)}) l ${ofActiveAssets} ${inOrder} limit ${pageRows}`,
      sql`
        case when rows < ${pageRows} then (
          select json_build_object('id', l.id, 'performedDate', l.performed_date,
            'activeAssets', (select count(*) from asset where active))
          from (select ${positions} from (${newest(positions)}) l ${inOrder} offset ${windowRows - 1} limit 1) l
        ) end`,
    );
    if (page === undefined) return undefined;
    const { rows, logs, extra } = page;
    if (rows === pageRows) return { ...page, next: lastPosition(logs) };
    if (extra === undefined) return { ...page, next: undefined };
    const { activeAssets, ...end } = JSON.parse(extra) as WindowEnd;
    const isDense = rows * activeAssets >= denseWindow;
    return {
      ...page,
      next: isDense ? end : await this.#searches.run([], () => this.#search(query, listRows, end)),
    };
  }

  /**
   * Finds the newest `limit` logs in the indexes of the active assets; undefined where there is none. They belong to the `limit` assets
   * whose own newest logs are the newest: the inner select reads one log of each asset to find these, and the outer one reads up to
   * `limit` logs of each of them.
   */
  async #search(query: LogQuery, wanted: number, last: LogPosition): Promise<Found | undefined> {
    const limit = Math.min(wanted, mostFound);
    const newestOfAsset = (most: Statement) => newestOf(query, last, positions, most, sql`l.asset_id = a.id`);
    const rows = await this.#database.query<{ id: number }>(sql`
      select l.id from (
        select a.id from (select id from asset where active) a
        cross join lateral (${newestOfAsset(sql`1`)}) l ${inOrder} limit ${limit}
      ) a cross join lateral (${newestOfAsset(sql`${limit}`)}) l ${inOrder} limit ${limit}`);
    return rows.length === 0 ? undefined : { ids: rows.map(({ id }) => id), isEnd: rows.length < limit };
  }

  async #readFound({ ids, isEnd }: Found, most: number): Promise<LogPage<ActivePlace> | undefined> {
    const [now, later] = [ids.slice(0, most), ids.slice(most)];
    const page = await readPacked(
      this.#database,
      sql`
        select ${columns} from unnest(${idArray(now)}) with ordinality as found (id, n) cross join lateral (
          select ${columns} from maintenance_log l where l.id = found.id ${asLookup}
        ) l order by n`,
    );
    if (page === undefined) return undefined;
    if (later.length > 0) return { ...page, next: { ids: later, isEnd } };
    return { ...page, next: isEnd ? undefined : lastPosition(page.logs) };
  }
}
