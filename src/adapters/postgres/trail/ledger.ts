import type { Ledger } from "../../../application/trail/ports.ts";
import { DomainError } from "../../../domain/error.ts";
import type { EntryKind } from "../../../domain/trail/entry.ts";
import type { Database } from "../connection/database.ts";
import { nothing, sql } from "../connection/statement.ts";

/** The owner of the tables can drop the constraint, and put an index that leaves no room for the next. */
const indexEnd = 2 ** 52;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const lastId = (kind: EntryKind) =>
  sql`coalesce((select max(record_id) from trail_entry where kind = ${kind}::text::trail_kind), 0)`;

/** The entries of the trail and the roots of its tiles: sql/0004_trail.sql. */
export function makeLedger({ query, queryBytes }: Database): Ledger {
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
      const { size, hash, ...lastIds } = row ?? { size: 0, hash: null, employee: 0, asset: 0, log: 0 };
      return { size, lastHash: hash === null ? undefined : Buffer.from(hash, "hex"), lastIds };
    },

    async append(size, records, tiles) {
      const kinds = `{${records.map(({ kind }) => kind)}}`;
      const ids = `{${records.map(({ recordId }) => recordId)}}`;
      const hashes = `{${records.map(({ hash }) => `"\\\\x${hex(hash)}"`)}}`;
      const added = JSON.stringify(
        tiles.map(({ level, index, root }) => ({ level, index, root: hex(root) })),
      );
      try {
        const [outcome] = await query<{ written: number }>(
          sql`
            with known as (
              select from (select coalesce(max(index) + 1, 0) as size from trail_entry where index < ${indexEnd}) as present
              where size = ${size}
            ), written as (
              insert into trail_entry (index, kind, record_id, hash)
              select ${size} + n - 1, kind, record_id, hash
              from known, unnest(${kinds}::text::trail_kind[], ${ids}::text::bigint[], ${hashes}::text::bytea[])
                with ordinality as record (kind, record_id, hash, n)
              order by n
              returning index
            ), tiled as (
              insert into trail_tile (level, index, root)
              select level, index, pg_catalog.decode(root, 'hex')
              from known, json_to_recordset(${added}::text::json) as tile (level smallint, index bigint, root text)
              order by level, index
            )
            select count(*) as written from written`,
        );
        return outcome?.written === records.length;
      } catch (error) {
        // An index, or a record, of which another process has added the entry at this moment.
        if (error instanceof DomainError && error.code === "CONFLICT") return false;
        throw error;
      }
    },

    async hashes(level, from, to) {
      const table =
        level === 0
          ? sql`select hash from trail_entry where`
          : sql`select root as hash from trail_tile where`;
      const ofLevel = level === 0 ? nothing : sql`level = ${level - 1} and`;
      const [row] = await queryBytes(
        sql`
          select encode(string_agg(hash, ''), 'hex') from (
            ${table} ${ofLevel} index >= ${from} and index < ${to} order by index
          ) as ordered`,
      );
      return Buffer.from(row?.[0]?.toString("latin1") ?? "", "hex");
    },

    async firstMissing(from, to) {
      const [row] = await query<{ index: number | null }>(
        sql`
          select case when count(*) <> ${to - from} then (
            select n from generate_series(${from}::bigint, ${to - 1}::bigint) as n
            where not exists (select from trail_entry where index = n) order by n limit 1
          ) end as index from trail_entry where index >= ${from} and index < ${to}`,
      );
      return row?.index ?? undefined;
    },

    async firstRepeated(from, to) {
      const [repeated] = await query<{ kind: EntryKind; recordId: number; index: number }>(
        sql`
          select kind, record_id as "recordId", index from trail_entry entry
          where index >= ${from} and index < ${to} and exists (
            select from trail_entry other
            where other.kind = entry.kind and other.record_id = entry.record_id and other.index <> entry.index
          )
          order by index limit 1`,
      );
      return repeated;
    },
  };
}
