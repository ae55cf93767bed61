import type { HashRange, Ids, Ledger } from "../../../application/trail/ports.ts";
import { DomainError } from "../../../domain/error.ts";
import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import { hashLength } from "../../../domain/trail/merkle.ts";
import { gather } from "../batching/gather.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { kindOf, leafHash, linesOf, sequenceOf, unionOf } from "./entries.ts";

/** The owner of the tables can drop the constraint, and put an index that leaves no room for the next. */
const indexEnd = 2 ** 52;

const lastId = (kind: EntryKind) => sql`
  coalesce((
    select max(record_id) from trail_entry
    where kind = ${kindOf[kind]} and record_id <= (select last_value from ${sequenceOf[kind]})
  ), 0)`;

/** The planner does not conclude what holds for record_id from what holds for id. */
const unnumbered = (kind: EntryKind, above: Ids, limit: number) => sql`
  select id, ${kindOf[kind]} as kind, ${leafHash} as hash from (
    ${linesOf[kind]} where id > ${above[kind]} and not exists (
      select from trail_entry
      where kind = ${kindOf[kind]} and record_id > ${above[kind]} and record_id = record.id
    )
    order by id limit ${limit}
  ) as line`;

/** The entries of the trail and the hashes of its tree: sql/0004_trail.sql. */
export function makeLedger({ query, queryBytes }: Database): Ledger {
  const hashes = gather<readonly HashRange[], Uint8Array[]>(async takeCalls => {
    let calls: readonly (readonly HashRange[])[] = [];
    const rows = await queryBytes(() => {
      calls = takeCalls();
      // As JSON, whose estimated length is always the same, and with a limit in the text: PostgreSQL then keeps its plan, and
      // does not think it worth compiling. It searches an index of one table only, as long as their types are the same.
      return sql`
          select encode((
            select string_agg(hash, '') from (
              select hash from (
                select 0::smallint as level, index, hash from trail_entry union all select level, index, hash from trail_node
              ) as node where level = range.level and index >= low and index < high order by index limit 256
            ) as ordered
          ), 'hex')
          from rows from (
            json_to_recordset(${JSON.stringify(calls.flat())}::text::json) as (level smallint, "from" bigint, "to" bigint)
          ) with ordinality as range (level, low, high, n) order by n`;
    });
    const found = rows.map(([hex]) => Buffer.from(hex?.toString("latin1") ?? "", "hex"));
    return new Map(calls.map(call => [call, found.splice(0, call.length)]));
  });

  return {
    async end() {
      const [row] = await query<{ size: number; hash: string | null } & Record<EntryKind, number>>(
        sql`
          select coalesce(entry.index + 1, 0) as size, encode(entry.hash, 'hex') as hash, ${lastId("employee")} as employee,
            ${lastId("asset")} as asset, ${lastId("log")} as log
          from (values (1)) as one left join (
            select index, hash from trail_entry where index < ${indexEnd} order by index desc limit 1
          ) entry on true`,
      );
      const { size, hash, ...lastIds } = row as NonNullable<typeof row>;
      return { size, lastHash: Buffer.from(hash ?? "", "hex"), lastIds };
    },

    async number(size, above, limit) {
      try {
        const [row = []] = await queryBytes(
          sql`
            with present as (
              select coalesce(max(index) + 1, 0) as size from trail_entry where index < ${indexEnd}
            ), added as (
              insert into trail_entry (index, record_id, kind, hash)
              select ${size} + row_number() over () - 1, id, kind, hash
              from present cross join lateral (
                ${unionOf(entryKinds.map(kind => unnumbered(kind, above, limit)))} limit ${limit}
              ) as record
              where size = ${size}
              returning index, record_id, kind, hash
            )
            select size, string_agg(kind::text, ','), string_agg(record_id::text, ','), encode(string_agg(hash, ''), 'hex')
            from present left join (select record_id, kind, hash from added order by index) as added on true group by size`,
        );
        const [present, kinds = "", ids = "", hex = ""] = row.map(column => column?.toString("latin1"));
        if (Number(present) !== size) return undefined;
        const [kindsInOrder, hashes] = [kinds.split(","), Buffer.from(hex, "hex")];
        return (ids.match(/\d+/g) ?? []).map((id, at) => ({
          kind: kindsInOrder[at] as EntryKind,
          recordId: Number(id),
          hash: hashes.subarray(at * hashLength, (at + 1) * hashLength),
        }));
      } catch (error) {
        // An index, or a record, of which another process has added the entry at this moment.
        if (error instanceof DomainError && error.code === "CONFLICT") return undefined;
        throw error;
      }
    },

    async store(nodes) {
      const rows = JSON.stringify(
        nodes.map(({ level, index, hash }) => ({ level, index, hash: Buffer.from(hash).toString("hex") })),
      );
      await query(
        sql`
          insert into trail_node (level, index, hash)
          select level, index, pg_catalog.decode(hash, 'hex')
          from json_to_recordset(${rows}::text::json) as node (level smallint, index bigint, hash text)
          order by level, index on conflict do nothing`,
      );
    },

    hashes: async ranges => (await hashes(ranges)) ?? [],

    async firstMissing(from, to) {
      const [row] = await query<{ index: number | null }>(
        sql`
          select case when count(*) <> ${to - from} then (
            select n from generate_series(${from}::bigint, ${to - 1}::bigint) as n
            where not exists (select from trail_entry where index = n and length(hash) = ${hashLength}) order by n limit 1
          ) end as index from trail_entry where index >= ${from} and index < ${to} and length(hash) = ${hashLength}`,
      );
      return row?.index ?? undefined;
    },

    async firstRepeated(from, to) {
      const [repeated] = await query<{ kind: EntryKind; id: number; index: number }>(
        sql`
          select kind, record_id as id, index from trail_entry entry
          where index >= ${from} and index < ${to} and exists (
            select from trail_entry other
            where other.kind = entry.kind and other.record_id = entry.record_id and other.index <> entry.index
          )
          order by index limit 1`,
      );
      return repeated && `entry ${repeated.index} of ${repeated.kind} record ${repeated.id}`;
    },
  };
}
