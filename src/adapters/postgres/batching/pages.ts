import type { Chunk, ChunkedList } from "../../../application/json-list.ts";
import type { ActivityFilter } from "../../../domain/activity.ts";
import type { Bytes, Database } from "../connection/database.ts";
import { nothing, type Statement, sql } from "../connection/statement.ts";
import { batched } from "./batch.ts";

/** Rows of the first page, which are enough for most lists: then one statement is enough for them. */
const mostFirstRows = 400;
/** A page has at most so many times the rows of the one before, or as many as the first one. */
const mostGrowth = 4;

/** PostgreSQL does not send a page of more bytes, unless it is of one row. The next page should come to four fifths of that. */
export const pageBytes = 256 * 1024;

/** What one statement reads of a list. */
export interface Page<Key> {
  readonly rows: number;
  /** As it was sent by PostgreSQL. */
  readonly bytes: number;
  /** Where the rest of the list begins; undefined when this was the end. */
  readonly next: Key | undefined;
}

/**
 * How many rows the first pages of lists have. A page that comes to too many bytes was rendered for nothing, at up to eighty times the
 * cost of one that is sent. After such a page lists begin with as few rows as would have fitted, and each with one row more than the
 * one before: first pages that are too long then cost one row for each list at most.
 */
export class FirstRows {
  #rows = mostFirstRows;

  ofNextList(): number {
    this.#rows = Math.min(this.#rows + 1, mostFirstRows);
    return this.#rows;
  }

  /** @param fewer rows that are read in place of those that were too many */
  reduceTo(fewer: number): void {
    this.#rows = Math.min(this.#rows, fewer);
  }
}

/**
 * Reads a list as a walk over its key, a page at a time. Between two pages nothing is held in the database: no
 * connection, no snapshot, no portal, however slowly the client reads. Rows are never deleted and their keys never
 * change, so every row that is there at the start comes exactly once.
 *
 * @param read reads at most so many rows that come after this key; undefined when they come to too many bytes
 * @param wanted rows after which no page is read
 */
export async function* pagesOf<Key, P extends Page<Key>>(
  start: Key,
  read: (last: Key, limit: number) => Promise<P | undefined>,
  firstRows: FirstRows,
  wanted = Number.POSITIVE_INFINITY,
): AsyncGenerator<P, undefined> {
  const first = firstRows.ofNextList();
  let [last, limit, left]: [Key | undefined, number, number] = [start, first, wanted];
  while (last !== undefined && left > 0) {
    const page: P = await readFitting(read, last, Math.min(limit, left), firstRows);
    yield page;
    const { rows, bytes, next } = page;
    const fitting = rows === 0 ? first : Math.max(1, Math.floor((0.8 * pageBytes * rows) / bytes));
    limit = Math.min(fitting, Math.max(first, mostGrowth * rows));
    left -= rows;
    last = next;
  }
}

async function readFitting<Key, P>(
  read: (last: Key, limit: number) => Promise<P | undefined>,
  last: Key,
  limit: number,
  firstRows: FirstRows,
): Promise<P> {
  for (let rows = limit; ; ) {
    const page = await read(last, rows);
    if (page !== undefined) return page;
    rows = Math.ceil(rows / 8);
    firstRows.reduceTo(rows);
  }
}

type RecordsPage = Page<number> & Chunk<number>;

/** Lists in the order of their ids, all or the active or the inactive ones. */
export function listsById(
  { queryBytes }: Database,
  records: Statement,
): (filter: ActivityFilter) => ChunkedList {
  const firstRows = new FirstRows();

  function makeList(condition: Statement): () => ChunkedList {
    const statementFor = (last: number, limit: number) => sql`
      select json, rows, last from (
        select string_agg(row_to_json(shown)::text, ',') as json, count(*) as rows, max(id) as last
        from (${records} where id > ${last} ${condition} order by id limit ${limit}) as shown
      ) as page
      where rows <= 1 or octet_length(json) <= ${pageBytes}`;
    // Requests for the same list at the same time share its first page.
    const readFirst = batched({
      query: queryBytes,
      statementFor: (limits: readonly number[]) => statementFor(0, Math.min(...limits)),
      resultsOf: (rows, limits) => limits.map(() => pageOf(rows, Math.min(...limits))),
    });
    const read = async (last: number, limit: number) =>
      last === 0 ? readFirst(limit) : pageOf(await queryBytes(statementFor(last, limit)), limit);
    return () => pagesOf<number, RecordsPage>(0, read, firstRows);
  }

  const all = makeList(nothing);
  const [active, inactive] = [makeList(sql`and active`), makeList(sql`and not active`)];
  return filter => (filter.active === undefined ? all : filter.active ? active : inactive)();
}

function pageOf([row]: readonly Bytes[], limit: number): RecordsPage | undefined {
  if (row === undefined) return undefined;
  const [content, rows, lastId] = [row[0] ?? Buffer.alloc(0), Number(row[1]), Number(row[2])];
  return { rows, bytes: content.length, next: rows < limit ? undefined : lastId, content };
}
