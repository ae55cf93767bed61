import type { EntryPlace, TrailRepository } from "../../../application/trail/trail-repository.ts";
import { gather } from "../batching/gather.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { linesOf } from "./trail-records.ts";

interface PlaceRow {
  /** Null where the log is gone. */
  readonly line: string | null;
  readonly askedId: number;
  readonly index: number;
  readonly neighbours: Buffer;
}

/** Finds entries of logs, and the hashes next to each. */
export function makePlaceOfLog({ query }: Database): TrailRepository["placeOfLog"] {
  return gather<number, EntryPlace>(async takeIds => {
    const rows = await query<PlaceRow>(
      () => sql`
        select asked.id as "askedId", own.first + at.place - 1 as index, near.hashes as neighbours, record.line
        from unnest(${`{${takeIds()}}`}::text::bigint[]) as asked (id)
        join (
          select record_group, places, hashes, first_index as first, first_index + length(places) as end from trail_run
        ) own on own.record_group = asked.id / 256
        cross join lateral (
          select position(set_byte('\\x00', 0, (asked.id % 256)::integer) in own.places) as place
        ) at
        cross join lateral (
          select own.first + at.place - 1 - (own.first + at.place - 1) % 16 as first
        ) sixteen
        cross join lateral (
          select case when own.first <= sixteen.first and own.end >= sixteen.first + 16
            then substr(own.hashes, ((sixteen.first - own.first) * 32 + 1)::integer, 16 * 32)
            else (
              select string_agg(
                substr(hashes, (greatest(sixteen.first - first_index, 0) * 32 + 1)::integer,
                  ((least(sixteen.first + 16, first_index + length(places)) - greatest(sixteen.first, first_index)) * 32)::integer),
                '' order by first_index)
              from trail_run
              where first_index < sixteen.first + 16 and first_index >= (
                select max(first_index) from trail_run where first_index <= sixteen.first
              )
            ) end as hashes
        ) near
        left join (${linesOf.log}) record on record.id = asked.id
        where at.place > 0`,
    );
    return new Map(
      rows.map(({ askedId, index, neighbours, line }) => [
        askedId,
        {
          index,
          hash: neighbours.subarray((index % 16) * 32, (index % 16) * 32 + 32),
          neighbours,
          entry: line === null ? undefined : Buffer.from(line),
        },
      ]),
    );
  });
}
