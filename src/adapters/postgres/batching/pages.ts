import type { JsonList, Piece } from "../../../application/json-list.ts";
import type { ActivityFilter } from "../../../domain/activity.ts";
import type { Database } from "../connection/database.ts";
import { nothing, type Statement, sql } from "../connection/statement.ts";
import { share } from "./gather.ts";

/** Rows of the first page of a whole list: enough for most lists, so that one statement is enough for them. */
export const firstRows = 128;
const firstRecords = 400;
/** Rows of any page. */
const mostRows = 1_000;

/** PostgreSQL does not send a page of more bytes, unless it is of one row. */
export const mostPageBytes = 256 * 1024;
/** What a page of a whole list should come to: long enough to be cheap, short enough for many slow readers. */
const pageBytes = 144 * 1024;

/** What one statement reads of a list. */
export interface Page<Key> {
  readonly rows: number;
  /** As it was sent by PostgreSQL. */
  readonly bytes: number;
  /** Where the rest of the list begins; undefined when this was the end. */
  readonly next: Key | undefined;
  /** Its rows as JSON. */
  pieces(): Iterable<Piece<Key>>;
}

/** Reads at most so many rows that come after this key. Answers undefined when they come to too many bytes. */
export type ReadAfter<Key, P extends Page<Key> = Page<Key>> = (
  last: Key,
  limit: number,
) => Promise<P | undefined>;

/**
 * A whole list as a walk over its key, a page at a time. Between two pages nothing is held in the database: no
 * connection, no snapshot, no portal, however slowly the client reads. Rows are never deleted and their keys
 * never change, so every row that is there at the start comes exactly once.
 *
 * The next page is read while one is rendered and sent, so that neither side waits for the other.
 */
export async function* wholeList<Key extends object | number>(
  start: Key,
  read: ReadAfter<Key>,
  first: number,
): JsonList<never, Key> {
  let reading = readFitting(read, start, first);
  for (;;) {
    const page = await reading;
    if (page.next !== undefined) {
      reading = readFitting(read, page.next, nextLimit(page));
      // Awaiting it later throws its failure. A reader that stops before that would leave it unhandled.
      reading.catch(() => {});
    }
    // Without `yield*`, which makes three more promises for each piece.
    for (const piece of page.pieces()) yield piece;
    if (page.next === undefined) return;
  }
}

const nextLimit = ({ rows, bytes }: Page<unknown>): number =>
  rows === 0 ? mostRows : Math.max(1, Math.min(mostRows, Math.floor((pageBytes * rows) / bytes)));

/** Asks for fewer rows until they are not too long; a single row never is. */
export async function readFitting<Key, P extends Page<Key>>(
  read: ReadAfter<Key, P>,
  last: Key,
  limit: number,
): Promise<P> {
  for (let rows = limit; ; rows = Math.ceil(rows / 8)) {
    const page = await read(last, rows);
    if (page !== undefined) return page;
  }
}

/** Lists in the order of their ids, all or the active or the inactive ones. */
export function listsById(
  { queryBytes }: Database,
  records: Statement,
): (filter: ActivityFilter) => JsonList<never> {
  const read = async (active: ActivityFilter["active"], last: number, limit: number, begin = () => {}) => {
    const [row] = await queryBytes(() => {
      begin();
      return sql`
        select json, rows, last from (
          select ',' || string_agg(row_to_json(shown)::text, ',') as json, count(*) as rows, max(id) as last
          from (
            ${records} where id > ${last} ${active === undefined ? nothing : sql`and active = ${active}`}
            order by id limit ${limit}
          ) as shown
        ) as page
        where rows <= 1 or octet_length(json) <= ${mostPageBytes}`;
    });
    if (row === undefined) return undefined;
    const [json, rows, lastId] = [row[0] ?? Buffer.alloc(0), Number(row[1]), Number(row[2])];
    const next = rows < limit ? undefined : lastId;
    return { rows, bytes: json.length, next, pieces: () => [{ json, next }] };
  };
  const firstPage = share((active: ActivityFilter["active"], begin) => read(active, 0, firstRecords, begin));
  return ({ active }) => {
    const readAfter: ReadAfter<number> = (last, limit) =>
      last === 0 && limit === firstRecords ? firstPage(active) : read(active, last, limit);
    return wholeList(0, readAfter, firstRecords);
  };
}
