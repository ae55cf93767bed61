import { type Ids, type LogInTrail, mostId, type TrailRecords } from "../../../application/trail/ports.ts";
import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import { mostEntryBytes, tileWidth } from "../../../domain/trail/tile.ts";
import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import {
  indexEnd,
  leafHash,
  linesOf,
  type Subject,
  sequenceOf,
  serverStart,
  subjects,
  tableOf,
  unionOf,
} from "./entries.ts";
import { newestFaults } from "./newest-records.ts";

/**
 * Bytes of entries that are read together, unless it is one: of their texts, so that no more is rendered for nothing, and of
 * the entries, in which a byte of a text may become six.
 */
const mostBytes = { ofTexts: 48 * 1024, ofEntries: 128 * 1024 };

/** A sequence that has issued no id yet has the first one as its last value. */
const lastIssued = (kind: EntryKind) =>
  sql`(select case when is_called then last_value else 0 end from ${sequenceOf[kind]})`;

const waiting = (kind: EntryKind) => sql`
  select count(*) from (
    select from ${tableOf[kind]}
    where id > coalesce((select max(record_id) from trail_entry where kind = ${kind}::trail_kind), 0) limit 100000
  ) as record`;

/**
 * What does not agree, found by PostgreSQL in one walk over records and entries side by side. An owner of the tables can
 * drop every constraint, so nothing is taken for granted of an id or an index.
 */
const comparisonOf = (kind: EntryKind): Statement => sql`
  with record as (
    select id as record_id, subject, ${leafHash} as hash, row_number() over (partition by id) as copy,
      recorded_at between now() - interval '1 minute' and now() as is_new, octet_length(line) > ${mostEntryBytes} as is_long
    from (${linesOf[kind]}) as line
  ), entry as (
    select record_id, index, hash, row_number() over (partition by record_id order by index) as n
    from trail_entry where kind = ${kind}::trail_kind
  ), compared as (
    select record_id, subject, case
      when copy > 1 then 'is there twice'
      when index is null and entry.hash is null and is_long then 'is too long for an entry'
      when index is null and entry.hash is null and is_new then null
      when index is null and entry.hash is null then 'has no entry: it was slipped in, or is not numbered yet'
      when index is null or index not between 0 and ${indexEnd}::bigint - 1 then 'has an entry outside of the trail'
      when n > 1 then 'numbered twice'
      when record.hash is null then pg_catalog.concat('removed; it had entry ', index)
      when record.hash is distinct from entry.hash then 'changed'
    end as what
    from record full join entry using (record_id)
  )
  select coalesce(subject, record_id)::text as id, what from compared where what is not null order by record_id`;

/** Entries that no comparison above includes. */
const withoutKind = sql`
  select index::text as id, 'has no known kind' as what from trail_entry
  where kind is null or kind::text not in ('employee', 'asset', 'log') order by index`;

/** Employees and assets whose state is not that of their last record, and those that are gone. */
const unrecordedOf = ({ kind, table, id, state }: Subject): Statement => sql`
  select id::text, 'changed without a record' as what from ${table} subject
  where row(${state}) is distinct from (select row(${state}) from ${tableOf[kind]} where ${id} = subject.id order by id desc limit 1)
  union
  select ${id}::text, 'removed' from ${tableOf[kind]} where not exists (select from ${table} subject where subject.id = ${id})`;

const comparisons: readonly (readonly [string, Statement])[] = [
  ...entryKinds.map(kind => [kind, comparisonOf(kind)] as const),
  ["entry", withoutKind],
  ...subjects.map(subject => [subject.kind, unrecordedOf(subject)] as const),
];

const undefinedTable = "42P01";

/** The rows that entries stand for, and their entries. */
export function makeTrailRecords({ query, queryBytes }: Database): TrailRecords {
  // `offset 0` keeps the planner from joining a table whose logs it would render all: on a small table it hashes the whole of it.
  const entryOfLog = batched(
    queryBytes,
    (ids: readonly number[]) => sql`
      select asked.id, index, line from (
        select value::bigint as id from json_array_elements_text(${`[${ids}]`}::text::json)
      ) as asked
      left join trail_entry on kind = 'log' and record_id = asked.id
      left join lateral (${linesOf.log} where record.id = asked.id offset 0) as line on true
      order by index desc`,
    (rows, ids): LogInTrail[] => {
      const byId = new Map(
        rows.map(([id, index, entry]) => [
          Number(id),
          { index: index ? Number(index) : undefined, entry: entry ?? undefined },
        ]),
      );
      return ids.map(id => byId.get(id) ?? { index: undefined, entry: undefined });
    },
  );

  return {
    async horizon(needsXid) {
      const [row] = await query<{ server: string; xmin: number; xid: number | null } & Ids>(
        sql`
          select ${serverStart} as server, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin,
            case when ${needsXid} then pg_current_xact_id()::text::bigint end as xid,
            ${lastIssued("employee")} as employee, ${lastIssued("asset")} as asset, ${lastIssued("log")} as log`,
      );
      const { server, xmin, xid, ...lastIds } = row as NonNullable<typeof row>;
      return { server, xmin, xid: xid ?? undefined, lastIds };
    },

    async window(above, width) {
      const upTo = (kind: EntryKind) => sql`(
        select case when max(id) - min(id) >= ${width} then min(id) + ${width} - 1 else ${mostId} end
        from ${tableOf[kind]} where id > ${above[kind]} and id <= ${mostId})`;
      const [row] = await query<Ids>(
        sql`select ${upTo("employee")} as employee, ${upTo("asset")} as asset, ${upTo("log")} as log`,
      );
      return row as Ids;
    },

    async isEmpty() {
      const tables = [sql`trail_entry`, ...entryKinds.map(kind => tableOf[kind])];
      const rows = unionOf(tables.map(table => sql`select from ${table} limit 1`));
      try {
        const found = await query(sql`select from (${rows}) as row limit 1`);
        return found.length === 0;
      } catch (error) {
        if ((error as { code?: unknown }).code === undefinedTable) return true;
        throw error;
      }
    },

    async unnumbered() {
      const [row] = await query<{ count: number }>(
        sql`select sum(count)::bigint as count from (${unionOf(entryKinds.map(waiting))}) as waiting`,
      );
      return row?.count ?? 0;
    },

    async entries(from, to) {
      const lineOf = (kind: EntryKind) =>
        sql`select line from (${linesOf[kind]} where id = record_id and kind = ${kind}::trail_kind) as line`;
      const [row] = await queryBytes(
        sql`
          with entry as materialized (
            select index, kind, record_id, row_number() over (order by index) as n,
              sum(coalesce(octet_length(l.comment), octet_length(a.description), 0)) over (order by index) as bytes
            from trail_entry e
            left join maintenance_log l on kind = 'log' and l.id = record_id
            left join asset_event a on kind = 'asset' and a.id = record_id
            where index >= ${from} and index < ${Math.min(to, from + tileWidth)}
          )
          select string_agg(line, E'\\n' order by n) from (
            select n, row_number() over (order by n) as place, line, sum(octet_length(line)) over (order by n) as length
            from entry cross join lateral (${unionOf(entryKinds.map(lineOf))}) as record
            where index = ${from} + n - 1 and (n = 1 or bytes <= ${mostBytes.ofTexts})
          ) as found where n = place and (n = 1 or length <= ${mostBytes.ofEntries})`,
      );
      // A line feed within an entry is written as an escape.
      return (row?.[0]?.toString().split("\n") ?? []).map(line => Buffer.from(line));
    },

    entryOfLog,

    newestFaults: async () => (await query<{ fault: string }>(newestFaults)).map(({ fault }) => fault),

    async *findings() {
      for (const [kind, statement] of comparisons) {
        for (const { id, what } of await query<{ id: string; what: string }>(statement))
          yield `${kind} ${id}: ${what}`;
      }
    },
  };
}
