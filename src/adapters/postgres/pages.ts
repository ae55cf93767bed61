import type { Batches } from "../../application/ports.ts";

/** Rows. The largest possible log takes some 40 KiB, so a page takes 10 MiB at the very most. */
export const pageSize = 250;

/**
 * A whole list as a walk over its key, a page at a time. Between two pages nothing is held in the database: no
 * connection, no snapshot, no portal, however slowly the client reads. Rows are never deleted and their keys
 * never change, so every row that is there at the start comes exactly once.
 *
 * @param readAfter reads the next `pageSize` rows after the last one, or the first ones
 */
export async function* pages<Row>(
  readAfter: (last: Row | undefined) => Promise<readonly Row[]>,
): Batches<Row> {
  let last: Row | undefined;
  do {
    const page = await readAfter(last);
    if (page.length > 0) yield page;
    last = page.length < pageSize ? undefined : page.at(-1);
  } while (last !== undefined);
}
