import { idsEnd, type RecordKind, type TrailEnd } from "../../../application/trail/trail-repository.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import { groupOf, placesOfRuns, recordId, trailRuns } from "./trail-runs.ts";

type EndRow = { readonly size: number | null; readonly hash: Buffer | null } & Record<RecordKind, number>;

const tableOf = { log: sql`maintenance_log`, employee: sql`employee_event`, asset: sql`asset_event` };

/** A record's id may be any; the one that its sequence has given last is the greatest of those that the service inserts. */
const lastGivenId = (kind: RecordKind) =>
  sql`(select least(last_value, ${idsEnd - 1}) from ${tableOf[kind]}_id_seq)`;

/** A group has a run for each time when some of it were numbered. */
const lastNumberedId = (kind: RecordKind) => sql`
  (
    select max(${recordId}) from ${placesOfRuns}
    where ${recordId} <= ${lastGivenId(kind)} and record_group = (
      select record_group from ${placesOfRuns}
      where ${recordId} <= ${lastGivenId(kind)} and record_group >= ${groupOf({ kind, recordId: 0 })}
        and record_group <= ${groupOf({ kind, recordId: 0 })} + ${lastGivenId(kind)} / 256
      order by record_group desc limit 1
    )
  )`;

const lastRecordId = (kind: RecordKind) =>
  sql`(select max(id) from ${tableOf[kind]} where id > 0 and id <= ${lastGivenId(kind)})`;

/** Where the entries end, and where the records do. */
export function makeTrailEnds({ query }: Database) {
  const readEnd = async (lastIdOf: (kind: RecordKind) => Statement): Promise<TrailEnd> => {
    const [row] = await query<EndRow>(
      sql`
        select run.size, run.hash, coalesce(${lastIdOf("log")}, 0) as log,
          coalesce(${lastIdOf("employee")}, 0) as employee, coalesce(${lastIdOf("asset")}, 0) as asset
        from (values (1)) as one left join (
          select first_index + length(places) as size, substr(hashes, 32 * length(places) - 31) as hash
          from ${trailRuns} order by first_index desc limit 1
        ) run on true`,
    );
    const { size, hash, ...lastIds } = row as EndRow;
    return { size: size ?? 0, lastHash: hash ?? undefined, lastIds };
  };

  return {
    end: () => readEnd(lastNumberedId),
    newest: () => readEnd(lastRecordId),

    async firstMissing(from: number, to: number): Promise<number | undefined> {
      const [found] = await query<{ index: number }>(
        sql`
          with run as (
            select first_index as first, first_index + coalesce(length(places), 0) as "end"
            from ${trailRuns} where first_index >= ${from} and first_index < ${to}
          )
          select least(first, expected) as index from (
            select first, coalesce(lag("end") over (order by first), ${from}) as expected from run
            union all select ${to}, coalesce((select max("end") from run), ${from})
          ) place where first <> expected order by index limit 1`,
      );
      return found?.index;
    },
  };
}
