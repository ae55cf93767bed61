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
  readonly hash: Buffer;
  readonly neighbours: Buffer;
  readonly sixteenths: Buffer | null;
}

/** Finds entries of logs, and with each what its proof takes of its own tile. */
export function makePlaceOfLog({ query }: Database): TrailRepository["placeOfLog"] {
  return gather<number, EntryPlace>(async takeIds => {
    const rows = await query<PlaceRow>(
      () => sql`
        with found as (
          select asked.id as "askedId", run.first_index + at.place - 1 as index,
            substr(run.hashes, (at.place - 1) * 32 + 1, 32) as hash
          from unnest(${`{${takeIds()}}`}::text::bigint[]) as asked (id)
          join trail_run run on run.record_group = asked.id / 256
          cross join lateral (
            select position(set_byte('\\x00', 0, (asked.id % 256)::integer) in run.places) as place
          ) at
          where at.place > 0
        )
        select found."askedId", found.index, found.hash, near.neighbours, tile.sixteenths, record.line
        from found
        cross join lateral (select found.index - found.index % 16 as first) sixteen
        cross join lateral (
          select string_agg(
            substr(hashes, (greatest(sixteen.first - first_index, 0) * 32 + 1)::integer,
              ((least(sixteen.first + 16, first_index + length(places)) - greatest(sixteen.first, first_index)) * 32)::integer),
            '' order by first_index) as neighbours
          from trail_run
          where first_index < sixteen.first + 16 and first_index >= (
            select max(first_index) from trail_run where first_index <= sixteen.first
          )
        ) near
        left join trail_tile tile on tile.level = 0 and tile.index = found.index / 256
        left join (${linesOf.log}) record on record.id = found."askedId"`,
    );
    return new Map(
      rows.map(({ askedId, index, hash, neighbours, sixteenths, line }) => [
        askedId,
        {
          index,
          hash,
          neighbours,
          sixteenths: sixteenths ?? undefined,
          entry: line === null ? undefined : Buffer.from(line),
        },
      ]),
    );
  });
}
