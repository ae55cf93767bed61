import { elementsOf, type JsonList } from "../../../application/json-list.ts";
import type { ActivityFilter } from "../../../domain/activity.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import { share } from "./gather.ts";

/** Rows of the first page of logs, which are unknown yet: the largest possible log takes some 40 KiB, so 5 MiB. */
export const firstRows = 128;
/** The same of assets and employees: the largest possible asset takes some 12 KiB. */
const firstRecords = 400;
/** Rows of any page. */
export const mostRows = 2_000;

/** How long a page should be: long enough to be cheap, short enough for many slow readers. */
const pageBytes = 192 * 1024;

/** A part of a list: the JSON text of its rows, and how many they are. Never empty. */
export interface Page {
  readonly json: Buffer;
  readonly rows: number;
}

/**
 * A whole list as a walk over its key, a page at a time. Between two pages nothing is held in the database: no
 * connection, no snapshot, no portal, however slowly the client reads. Rows are never deleted and their keys
 * never change, so every row that is there at the start comes exactly once.
 *
 * @param start comes before all rows; each row tells its own key
 * @param readAfter reads at most so many rows that come after this key
 * @param wanted how many rows there should be at most
 * @param first how many rows the first page may have
 */
export async function* pages<Key>(
  start: Key,
  readAfter: (last: Key, limit: number) => Promise<Page | undefined>,
  { wanted = Number.POSITIVE_INFINITY, first = firstRows } = {},
): JsonList<never> {
  let last = start;
  let left = wanted;
  let limit = Math.min(first, left);
  for (;;) {
    const page = await readAfter(last, limit);
    if (page === undefined) return;
    yield page.json;
    left -= page.rows;
    if (page.rows < limit || left === 0) return;
    last = lastRow<Key>(page.json);
    limit = Math.min(nextLimit(page.json.length / page.rows), left);
  }
}

const nextLimit = (bytesPerRow: number): number =>
  Math.max(1, Math.min(mostRows, Math.floor(pageBytes / bytesPerRow)));

/** A row begins with its id. Nothing within it looks like that: what is quoted has no quotation mark without a backslash. */
const lastRow = <Row>(json: Buffer): Row => {
  const [row] = elementsOf<Row>(json.subarray(json.lastIndexOf('{"id":')));
  return row as Row;
};

/** Reads rows, which come in the order of the list, rendered by PostgreSQL as one. */
export async function readPage(
  { queryBytes }: Database,
  makeRows: () => Statement,
): Promise<Page | undefined> {
  const [row] = await queryBytes(
    () => sql`
      select string_agg(row_to_json(shown)::text, ',') as json, count(*) as rows from (${makeRows()}) as shown`,
  );
  const [json, rows] = row ?? [];
  return json == null ? undefined : { json, rows: Number(rows) };
}

interface Identified {
  readonly id: number;
}

/** Lists in the order of their ids, all or the active or the inactive ones. */
export function listsById(
  database: Database,
  rowsAfter: (id: number, active: ActivityFilter["active"], limit: number) => Statement,
): (filter: ActivityFilter) => JsonList<never> {
  const start: Identified = { id: 0 };
  const read = (active: ActivityFilter["active"], { id }: Identified, limit: number, begin = () => {}) =>
    readPage(database, () => {
      begin();
      return rowsAfter(id, active, limit);
    });
  const firstPage = share((active: ActivityFilter["active"], begin) =>
    read(active, start, firstRecords, begin),
  );
  return ({ active }) => {
    const readAfter = (last: Identified, limit: number) =>
      last === start ? firstPage(active) : read(active, last, limit);
    return pages(start, readAfter, { first: firstRecords });
  };
}
