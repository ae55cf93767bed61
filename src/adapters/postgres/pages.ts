import type { JsonList } from "../../application/ports.ts";
import type { ActivityFilter } from "../../domain/activity.ts";
import type { Database, Fragment, Sql } from "./connection.ts";
import { share } from "./share.ts";

/** Rows of the first page, and of any. The largest possible log takes some 40 KiB, so that of 128 takes 5 MiB. */
export const firstRows = 128;
export const mostRows = 2_000;

/** How long a page should be: long enough to be cheap, short enough for many slow readers. */
const pageCharacters = 192 * 1024;

/** A part of a list: the text of its rows, or null without any; how many they are; and the key of the last. */
export type Page<Key> = Key & { readonly json: string | null; readonly rows: number };

/**
 * A whole list as a walk over its key, a page at a time. Between two pages nothing is held in the database: no
 * connection, no snapshot, no portal, however slowly the client reads. Rows are never deleted and their keys
 * never change, so every row that is there at the start comes exactly once.
 *
 * @param start comes before all rows
 * @param readAfter reads at most so many rows that come after this key
 * @param wanted how many rows there should be at most
 */
export async function* pages<Key>(
  start: Key,
  readAfter: (last: Key, limit: number) => Promise<readonly Page<Key>[]>,
  wanted = Number.POSITIVE_INFINITY,
): JsonList<never> {
  let last = start;
  let left = wanted;
  let limit = Math.min(firstRows, left);
  for (;;) {
    const [page] = await readAfter(last, limit);
    if (page === undefined || page.json === null) return;
    yield page.json;
    left -= page.rows;
    if (page.rows < limit || left === 0) return;
    last = page;
    limit = Math.min(nextLimit(page.json.length / page.rows), left);
  }
}

const nextLimit = (charactersPerRow: number): number =>
  Math.max(1, Math.min(mostRows, Math.floor(pageCharacters / charactersPerRow)));

/** The rows of a page, which come in the order of the list, rendered by PostgreSQL as one row. */
export const rendered = <Key extends object>(sql: Sql, rows: Fragment, key: Fragment) =>
  sql<Page<Key>[]>`
    select string_agg(row_to_json(shown)::text, ',') as json, count(*) as rows, ${key} from (${rows}) as shown`;

/** Lists in the order of their ids, all or the active or the inactive ones. */
export function listsById(
  query: Database["query"],
  rowsAfter: (sql: Sql, lastId: number, active: ActivityFilter["active"], limit: number) => Fragment,
): (filter: ActivityFilter) => JsonList<never> {
  const start = { id: 0 };
  const read = (active: ActivityFilter["active"], last: typeof start, limit: number, begin = () => {}) =>
    query(sql => {
      begin();
      return rendered<typeof start>(sql, rowsAfter(sql, last.id, active, limit), sql`max(id) as id`);
    });
  const firstPage = share((active: ActivityFilter["active"], begin) => read(active, start, firstRows, begin));
  return ({ active }) =>
    pages(start, (last, limit) => (last === start ? firstPage(active) : read(active, last, limit)));
}
