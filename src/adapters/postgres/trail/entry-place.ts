import type { EntryPlace, TrailRepository } from "../../../application/trail/trail-repository.ts";
import { gather } from "../batching/gather.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { linesOf } from "./trail-records.ts";
import { trailRuns } from "./trail-runs.ts";

interface PlaceRow {
  /** Null where the log is gone. */
  readonly line: string | null;
  readonly askedId: number;
  readonly index: number;
  readonly neighbours: Buffer;
}

/** Of an asked log in a run, from 1 on; 0 where the run does not have it. */
const place = sql`position(set_byte('\\x00', 0, (asked.id % 256)::integer) in places)`;

/**
 * Finds entries of logs, and the hashes next to each. Its limits are no more rows than there can be. They tell the planner
 * so: without statistics it expects so many runs that it compiles the statement each time, in 50 ms (JIT), and a plan from
 * when there were few logs would read all that there are now.
 */
export function makePlaceOfLog({ query }: Database): TrailRepository["placeOfLog"] {
  return gather<number, EntryPlace>(async takeIds => {
    const rows = await query<PlaceRow>(
      () => sql`
        select asked.id as "askedId", own.first + own.place - 1 as index, coalesce(near.hashes, '') as neighbours, record.line
        from unnest(${`{${takeIds()}}`}::text::bigint[]) as asked (id)
        cross join lateral (
          select first_index as first, first_index + length(places) as end, hashes, ${place} as place
          from ${trailRuns} where record_group = asked.id / 256 and ${place} > 0 limit 1
        ) own
        cross join lateral (select own.first + own.place - 1 - (own.first + own.place - 1) % 16 as first) sixteen
        cross join lateral (
          select case when own.first <= sixteen.first and own.end >= sixteen.first + 16
            then substr(own.hashes, ((sixteen.first - own.first) * 32 + 1)::integer, 16 * 32)
            else (
              select string_agg(
                substr(hashes, (greatest(sixteen.first - first, 0) * 32 + 1)::integer,
                  ((least(sixteen.first + 16, "end") - greatest(sixteen.first, first)) * 32)::integer),
                '' order by first)
              from (
                select first_index as first, first_index + length(places) as "end", hashes from trail_run
                where first_index < sixteen.first + 16 and first_index >= (
                  select max(first_index) from trail_run where first_index <= sixteen.first
                )
                order by first_index limit 16
              ) run
            ) end as hashes
        ) near
        left join lateral (${linesOf.log} where id = asked.id limit 1) record on true`,
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
