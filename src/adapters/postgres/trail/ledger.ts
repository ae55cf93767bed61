import type { HashRange, IdRange, Ids, Ledger, TrailEnd } from "../../../application/trail/ports.ts";
import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import { hashLength } from "../../../domain/trail/merkle.ts";
import { mostEntryBytes, tileWidth } from "../../../domain/trail/tile.ts";
import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { violates } from "../connection/sqlstate.ts";
import { type Statement, sql, unionOf, wholeNumber } from "../connection/statement.ts";
import { byKind, indexEnd, leafHash, linesOf, serverStart } from "./entries.ts";

/**
 * The records of a kind that have no entry. With this join PostgreSQL merges two sorted inputs, and stops at the limit. With
 * "not exists" it would look up each record in the index.
 */
const withoutEntry = (kind: EntryKind, { above, upTo }: IdRange, limit: number) => sql`
  select ${kind}::trail_kind as kind, id, ${leafHash} as hash, octet_length(line) > ${mostEntryBytes} as is_long from (
    ${linesOf[kind]} left join (
      select record_id from trail_entry where kind = ${kind}::trail_kind and record_id > ${above[kind]} and record_id <= ${upTo[kind]} order by record_id
    ) entry on record_id = id
    where id > ${above[kind]} and id <= ${upTo[kind]} and record_id is null order by id limit ${limit}
  ) as line`;

const newestMigration = sql`(select max(version) from schema_migration)`;

interface NumberedRow extends Ids {
  readonly hashes: string;
  readonly found: number;
  readonly tooLong: string | null;
}

/**
 * Numbers records and returns what it did. `found` are the next records without an entry. Each gets the next index, unless it
 * is too long for an entry. Where the trail does not end so, or the database has another schema, nothing is found, and there is no row.
 */
function numbering(...[{ size, schema }, ids, limit]: Parameters<Ledger["number"]>): Statement {
  const records = unionOf(entryKinds.map(kind => withoutEntry(kind, ids, limit)));
  const lastFound = (kind: EntryKind) =>
    sql`coalesce(max(id) filter (where kind = ${kind}::trail_kind), ${ids.above[kind]})`;
  return sql`
    with present as (
      select coalesce(max(index) + 1, 0) as size from trail_entry where index < ${indexEnd}
      having ${schema}::integer = ${newestMigration}
    ), found as materialized (
      -- PostgreSQL appends the kinds in their order, each sorted by id; the rows are counted along that order.
      select record.*, case when not is_long then
          ${size} + count(*) filter (where not is_long) over (rows unbounded preceding) - 1 end as index
      from present cross join lateral (${records} limit ${limit}) as record
      where size = ${size}
    ), added as (
      insert into trail_entry (index, record_id, kind, hash)
      select index, id, kind, hash from found where index is not null
    )
    select coalesce(encode(string_agg(hash, '' order by index) filter (where index is not null), 'hex'), '') as hashes,
      count(*) as found, min(concat(kind, ' ', id)) filter (where is_long) as "tooLong",
      ${byKind(lastFound)}
    from found having (select size from present) = ${size}`;
}

/** The entries of the trail and the hashes of its tree: sql/0004_trail.sql. */
export function makeLedger({ query }: Database): Ledger {
  const hashes = batched({
    query: query<{ hex: string | null }>,
    // As JSON, whose row estimate is fixed, and with a literal limit: PostgreSQL then keeps a generic plan without JIT.
    // It searches the index of one table only, as long as both `level` columns have the same type.
    statementFor: (calls: readonly (readonly HashRange[])[]) => sql`
      select encode((
        select string_agg(hash, '') from (
          select hash from (
            select 0::smallint as level, index, hash from trail_entry union all select level, index, hash from trail_node
          ) as node where level = range.level and index >= low and index < high order by index limit ${wholeNumber(tileWidth)}
        ) as ordered
      ), 'hex') as hex
      from rows from (
        json_to_recordset(${JSON.stringify(calls.flat())}::text::json) as (level smallint, "from" bigint, "to" bigint)
      ) with ordinality as range (level, low, high, n) order by n`,
    resultsOf: (rows, calls): Uint8Array[][] => {
      const found = rows.map(({ hex }) => Buffer.from(hex ?? "", "hex"));
      return calls.map(call => found.splice(0, call.length));
    },
  });

  return {
    async end() {
      const [row] = await query<Omit<TrailEnd, "lastHash"> & { hash: string }>(sql`
        select ${serverStart} as server, ${newestMigration} as schema, coalesce(index + 1, 0) as size, coalesce(encode(hash, 'hex'), '') as hash
        from (values (0)) as one left join (
          select index, hash from trail_entry where index < ${indexEnd} order by index desc limit 1
        ) as last on true`);
      const { hash, ...end } = row as NonNullable<typeof row>;
      return { ...end, lastHash: Buffer.from(hash, "hex") };
    },

    async number(end, ids, limit) {
      try {
        const [row] = await query<NumberedRow>(numbering(end, ids, limit));
        if (row === undefined) return undefined;
        const { hashes, found, tooLong, ...lastIds } = row;
        return { hashes: Buffer.from(hashes, "hex"), lastIds, found, tooLong: tooLong ?? undefined };
      } catch (error) {
        // An index, or a record, of which another process has added the entry at this moment.
        if (violates(error, "trail_entry_pkey", "trail_entry_kind_record_id_key")) return undefined;
        throw error;
      }
    },

    async store(nodes, server) {
      const rows = nodes.map(node => ({ ...node, hash: Buffer.from(node.hash).toString("hex") }));
      await query(sql`
        insert into trail_node (level, index, hash)
        select level, index, pg_catalog.decode(hash, 'hex')
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as node (level smallint, index bigint, hash text)
        where ${serverStart} = ${server} order by level, index on conflict do nothing`);
    },

    hashes,

    async firstMissing(from, to) {
      const [row] = await query<{ index: number }>(sql`
        select coalesce(min(expected) filter (where expected <> index), ${from} + count(*)) as index from (
          select index, ${from} + row_number() over (order by index) - 1 as expected
          from trail_entry where index >= ${from} and index < ${to} and length(hash) = ${hashLength}
        ) as entry`);
      return row && row.index < to ? row.index : undefined;
    },

    async firstRepeated(from, to) {
      const [repeated] = await query<{ kind: EntryKind; id: number; index: number }>(sql`
        select kind, record_id as id, index from trail_entry entry
        where index >= ${from} and index < ${to} and exists (
          select from trail_entry other
          where other.kind = entry.kind and other.record_id = entry.record_id and other.index <> entry.index
        )
        order by index limit 1`);
      return repeated && `entry ${repeated.index} of ${repeated.kind} record ${repeated.id}`;
    },
  };
}
