import type { Ids, LogInTrail, TrailRecords } from "../../../application/trail/ports.ts";
import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import { tileWidth } from "../../../domain/trail/tile.ts";
import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { asLookup, sql, unionOf } from "../connection/statement.ts";
import { comparisons, newestFaults } from "./comparisons.ts";
import { byKind, lastIssued, linesOf, tableOf } from "./entries.ts";

/**
 * The most bytes of entries that are read together (one alone may have more). The bound of their texts saves rendering in vain. The
 * entries need a bound of their own, since one byte of a text may become six.
 */
const mostBytes = { ofTexts: 48 * 1024, ofEntries: 128 * 1024 };

const waiting = (kind: EntryKind) => sql`
  select count(*) from (
    select from ${tableOf[kind]}
    where id > coalesce((select max(record_id) from trail_entry where kind = ${kind}::trail_kind), 0) limit 100000
  ) as record`;

/** The rows that entries stand for, and their entries. */
export function makeTrailRecords({ query, queryBytes }: Database): TrailRecords {
  const entryOfLog = batched({
    query: queryBytes,
    statementFor: (ids: readonly number[]) => sql`
      select asked.id, index, line from (
        select value::bigint as id from json_array_elements_text(${`[${ids}]`}::text::json)
      ) as asked
      left join trail_entry on kind = 'log' and record_id = asked.id
      left join lateral (${linesOf.log} where record.id = asked.id ${asLookup}) as line on true
      order by index desc`,
    resultsOf: (rows, ids): LogInTrail[] => {
      const byId = new Map(
        rows.map(([id, index, entry]) => [
          Number(id),
          { index: index ? Number(index) : undefined, entry: entry ?? undefined },
        ]),
      );
      // Descending: of two entries of a log (only the owner of the tables can make them) the first one stays.
      return ids.map(id => byId.get(id) ?? { index: undefined, entry: undefined });
    },
  });

  return {
    async horizon(needsXid) {
      const [row] = await query<{ xmin: number; xid: number | null } & Ids>(sql`
        select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin,
          case when ${needsXid} then pg_current_xact_id()::text::bigint end as xid,
          ${byKind(lastIssued)}`);
      const { xmin, xid, ...lastIds } = row as NonNullable<typeof row>;
      return { xmin, xid: xid ?? undefined, lastIds };
    },

    async window({ above, upTo }, width) {
      const end = (kind: EntryKind) => sql`(
        select case when max(id) - min(id) >= ${width} then min(id) + ${width} - 1 else ${upTo[kind]} end
        from ${tableOf[kind]} where id > ${above[kind]} and id <= ${upTo[kind]})`;
      const [row] = await query<Ids>(sql`select ${byKind(end)}`);
      return row as Ids;
    },

    async isEmpty() {
      const tables = [sql`trail_entry`, ...entryKinds.map(kind => tableOf[kind])];
      const names = unionOf(tables.map(({ text }) => sql`select to_regclass(${text}::text) as table`));
      const made = await query(sql`select from (${names}) as own where own.table is not null`);
      // Where only one is missing, the next statement fails: nobody knows what that table had.
      if (made.length === 0) return true;
      const rows = unionOf(tables.map(table => sql`select from ${table} limit 1`));
      return (await query(sql`select from (${rows}) as row limit 1`)).length === 0;
    },

    async unnumbered() {
      const [row] = await query<{ count: number }>(sql`
        select sum(count)::bigint as count from (${unionOf(entryKinds.map(waiting))}) as waiting`);
      return row?.count ?? 0;
    },

    async entries(from, to) {
      const rendered = (kind: EntryKind) =>
        sql`select line from (${linesOf[kind]} where id = record_id and kind = ${kind}::trail_kind) as line`;
      // They end before the first entry that is missing (`index`) or whose record is gone (`n = place`). Two sums bound them: of their
      // texts, before they are rendered, and of their lines.
      const [row] = await queryBytes(sql`
        with entry as materialized (
          select index, kind, record_id, row_number() over (order by index) as n,
            sum(coalesce(octet_length(l.comment), octet_length(a.description), 0)) over (order by index) as bytes
          from trail_entry e
          left join maintenance_log l on kind = 'log' and l.id = record_id
          left join asset_event a on kind = 'asset' and a.id = record_id
          where index >= ${from} and index < ${Math.min(to, from + tileWidth)}
        ), rendered as (
          select n, row_number() over (order by n) as place, line, sum(octet_length(line)) over (order by n) as length
          from entry cross join lateral (${unionOf(entryKinds.map(rendered))}) as record
          where index = ${from} + n - 1 and (n = 1 or bytes <= ${mostBytes.ofTexts})
        )
        select string_agg(line, E'\\n' order by n) from rendered
        where n = place and (n = 1 or length <= ${mostBytes.ofEntries})`);
      // A line feed within an entry is written as an escape.
      return (row?.[0]?.toString().split("\n") ?? []).map(line => Buffer.from(line));
    },

    entryOfLog,

    newestFaults: async () => (await query<{ fault: string }>(newestFaults)).map(({ fault }) => fault),

    async *differences() {
      for (const [kind, statement] of comparisons) {
        for (const { id, what } of await query<{ id: string; what: string }>(statement))
          yield `${kind} ${id}: ${what}`;
      }
    },
  };
}
