import {
  type FullTile,
  type IdRange,
  idsEnd,
  type Reading,
  type StoredCheckpoint,
  type TrailRepository,
} from "../../../application/trail/trail-repository.ts";
import { toBase64 } from "../../../domain/trail/encoding.ts";
import { tileWidth } from "../../../domain/trail/tile.ts";
import { gather } from "../batching/gather.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import { makePlaceOfLog } from "./entry-place.ts";
import { makeTrailEnds } from "./trail-ends.ts";
import { makeTrailRecords } from "./trail-records.ts";
import {
  fromRun,
  groupOf,
  groupsOf,
  idsOf,
  placesOfRuns,
  type Run,
  recordId,
  toRuns,
  trailRuns,
} from "./trail-runs.ts";
import { makeSpans, makeStrays } from "./trail-spans.ts";

// An owner of the tables can drop a "not null" and leave an empty place, which must be found like any other change.
const runs = sql`select first_index as first, record_group as "group", coalesce(places, '') as places, coalesce(hashes, '') as hashes from ${trailRuns}`;
const fullTiles = sql`select level, index, coalesce(root, '') as root, coalesce(sixteenths, '') as sixteenths from trail_tile`;
const checkpoints = sql`
  select id, coalesce(size, ${idsEnd}::bigint) as size, coalesce(root, '') as root, coalesce(note, '') as note
  from trail_checkpoint`;

/** What the trail stores, and the records that it reads. */
export function makeTrailRepository(database: Database): TrailRepository {
  const { query } = database;

  return {
    ...makeTrailEnds(database),
    ...makeTrailRecords(database),
    placeOfLog: makePlaceOfLog(database),
    spans: makeSpans(database),
    strays: makeStrays(database),

    async entries(from, to) {
      // A run has at most 256 entries, all of one tile.
      const first = from - (from % tileWidth);
      const rows = await query<Run>(
        sql`${runs} where first_index >= ${first} and first_index < ${to} order by first_index`,
      );
      return rows.flatMap(fromRun).filter(({ index }) => index >= from && index < to);
    },

    async entriesOf(kind, fromId, toId) {
      const [first, last] = [fromId, toId - 1].map(recordId => groupOf({ kind, recordId }));
      const rows = await query<Run>(
        sql`${runs} where record_group between ${first as number} and ${last as number}`,
      );
      return rows.flatMap(fromRun).filter(({ recordId }) => recordId >= fromId && recordId < toId);
    },

    async idsWithEntry(kind, ids) {
      const groups = groupsOf(kind, ids);
      const rows = await query<Pick<Run, "group" | "places">>(
        sql`
          select record_group as "group", coalesce(places, '') as places from ${trailRuns}
          where record_group = any (${`{${groups}}`}::text::bigint[])`,
      );
      const numbered = new Set(rows.flatMap(idsOf));
      return numbered.size === 0 ? [] : ids.filter(id => numbered.has(id));
    },

    async idsWithoutEntry(kind, lastId, limit) {
      const [first, last] = [0, lastId].map(recordId => groupOf({ kind, recordId })) as [number, number];
      const ranges = await query<IdRange>(
        sql`
          with last_groups as (
            select distinct record_group from ${trailRuns} where record_group between ${first} and ${last}
            order by record_group desc limit 256
          ), numbered as (
            select ${recordId} as id from ${placesOfRuns}
            where record_group between (select min(record_group) from last_groups) and ${last}
            union all select (min(record_group) - ${first}) * 256 - 1 from last_groups
            union all select ${lastId}::bigint + 1
          ), missing as (
            select greatest(lag(id) over (order by id) + 1, 1) as first, id - 1 as last
            from numbered where id <= ${lastId}::bigint + 1
          )
          select first, last from missing where first <= last order by first desc limit ${limit}`,
      );
      return ranges.reverse();
    },

    async append(from, entries, tiles) {
      const sentRuns = JSON.stringify(toRuns(from, entries));
      const sentHashes = toBase64(Buffer.concat(entries.map(({ hash }) => hash)));
      const sentTiles = JSON.stringify(
        tiles.map(({ level, index, root, sixteenths }) => ({
          level,
          index,
          root: toBase64(root),
          sixteenths: toBase64(sixteenths),
        })),
      );
      // The first run decides: no process can have written behind it without having seen it.
      const [outcome] = await query<{ written: number }>(
        sql`
          with sent as (
            select first, "group", decode(places, 'base64') as places
            from json_to_recordset(${sentRuns}::text::json) as run (first bigint, "group" bigint, places text)
          ), hashes as materialized (
            select decode(${sentHashes}, 'base64') as all_hashes
          ), run as (
            select first, "group", places,
              substr(all_hashes, ((first - ${from}) * 32 + 1)::integer, length(places) * 32) as hashes
            from sent, hashes
          ), begun as (
            insert into trail_run (first_index, record_group, places, hashes)
            select first, "group", places, hashes from run where first = ${from} and ${from} = ${endOfTrail}
            on conflict (first_index) do nothing
            returning first_index
          ), continued as (
            insert into trail_run (first_index, record_group, places, hashes)
            select first, "group", places, hashes from run where first > ${from} and exists (select from begun)
            order by first
          ), tiled as (
            insert into trail_tile (level, index, root, sixteenths)
            select level, index, decode(root, 'base64'), decode(sixteenths, 'base64')
            from json_to_recordset(${sentTiles}::text::json) as tile (level smallint, index bigint, root text, sixteenths text)
            where exists (select from begun)
            order by level, index
          )
          select count(*) as written from begun`,
      );
      return outcome?.written === 1;
    },

    tiles: (level, from, to) =>
      query<FullTile>(
        sql`${fullTiles} where level = ${level} and index >= ${from} and index < ${to} order by index`,
      ),

    tileOfEntries: gather<number, FullTile>(async takeIndexes => {
      const found = await query<FullTile>(
        () => sql`${fullTiles} where level = 0 and index = any (${`{${takeIndexes()}}`}::text::bigint[])`,
      );
      return new Map(found.map(tile => [tile.index, tile]));
    }),

    async confirm() {
      // An entry can be seen before a synchronous standby has it, when waiting for that was cut short. The commit of a
      // row lock waits for all that came before.
      await query(sql`select id from employee order by id limit 1 for key share`);
    },

    async lastCheckpoint() {
      const [last] = await query<StoredCheckpoint>(sql`${checkpoints} order by id desc limit 1`);
      return last;
    },

    async checkpoint(id) {
      const [found] = await query<StoredCheckpoint>(sql`${checkpoints} where id = ${id}`);
      return found;
    },

    async addCheckpoint({ size, root, note }) {
      const [added] = await query<{ id: number }>(
        sql`
          insert into trail_checkpoint (size, root, note)
          values (${size}, decode(${toBase64(root)}, 'base64'), ${note}) returning id`,
      );
      return (added as { id: number }).id;
    },

    async accept({ reason, refused, accepted: { size, root, note } }) {
      await query(
        sql`
          with accepted as (
            insert into trail_checkpoint (size, root, note)
            values (${size}, decode(${toBase64(root)}, 'base64'), ${note})
            returning size, root
          )
          insert into trail_acceptance (reason, refused_size, refused_root, accepted_size, accepted_root)
          select ${reason}, ${refused?.size ?? null}::bigint,
            decode(${refused === undefined ? null : toBase64(refused.root)}::text, 'base64'), size, root
          from accepted`,
      );
    },

    readings: limit =>
      query<Reading>(
        sql`
          select id, first_group as "from", greatest(mismatches, 0) as mismatches,
            extract(epoch from now() - recorded_at)::double precision as age
          from trail_reading where id > 0 and id < ${idsEnd - 1} order by id desc limit ${limit}`,
      ),

    async addReading({ id, from, mismatches }) {
      const added = await query(
        sql`
          insert into trail_reading (id, first_group, mismatches) values (${id}, ${from}, ${mismatches})
          on conflict (id) do nothing returning id`,
      );
      return added.length === 1;
    },

    async unrecorded(kind, fromId, toId) {
      const rows = await query<{ id: number }>(
        sql`${unrecorded[kind](sql`id >= ${fromId} and id < ${toId}`)} order by id`,
      );
      return rows.map(({ id }) => id);
    },
  };
}

const endOfTrail = sql`
  coalesce((select first_index + length(places) from ${trailRuns} order by first_index desc limit 1), 0)`;

/** Of the ids in a range, those of each employee or asset whose state is not the one of its last record. */
const unrecorded = {
  employee: (range: Statement) => sql`
    select id from employee r left join lateral (
      select role, active from employee_event where employee_id = r.id order by id desc limit 1
    ) last on true where (r.role, r.active) is distinct from (last.role, last.active) and ${range}
    union
    select id from (select employee_id as id from employee_event) e
    where ${range} and not exists (select from employee where id = e.id)`,
  asset: (range: Statement) => sql`
    select id from asset r left join lateral (
      select name, description, active from asset_event where asset_id = r.id order by id desc limit 1
    ) last on true where (r.name, r.description, r.active) is distinct from (last.name, last.description, last.active)
      and ${range}
    union
    select id from (select asset_id as id from asset_event) e
    where ${range} and not exists (select from asset where id = e.id)`,
};
