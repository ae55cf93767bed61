import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import { mostEntryBytes } from "../../../domain/trail/tile.ts";
import { asLookup, knownWord, listOf, type Statement, sql, unionOf } from "../connection/statement.ts";
import { indexEnd, lastIssued, leafHash, linesOf, type Subject, subjects, tableOf } from "./entries.ts";

/**
 * When the newest records were made: the latest time among the newest issued record of each kind, and that of the last entry. A record that is
 * made within a minute of one of the two (`is_new`) may be without an entry, because it is not numbered yet. No clock is asked:
 * somebody may have set it meanwhile, and a dump is read on any day.
 */
const newestTimes = sql`
  (select recorded_at from (${unionOf(
    entryKinds.map(
      kind => sql`
        select recorded_at from ${tableOf[kind]} where id = (select max(id) from ${tableOf[kind]} where id <= ${lastIssued(kind)})`,
    ),
  )}) as issued order by recorded_at desc nulls last limit 1)
  union all
  select recorded_at from (select kind, record_id from trail_entry where index < ${indexEnd} order by index desc limit 1) as entry
  cross join lateral (${unionOf(
    entryKinds.map(
      kind => sql`
        select recorded_at from ${tableOf[kind]} where id = record_id and kind = ${kind}::trail_kind`,
    ),
  )}) as numbered`;

/**
 * Finds records and entries that do not agree, by one pass over both in PostgreSQL. It relies on no constraint of an id or
 * an index, since the owner of the tables can drop every one.
 */
const comparisonOf = (kind: EntryKind): Statement => sql`
  with entry as (
    select record_id, index, hash, row_number() over (partition by record_id order by index) as n
    from trail_entry where kind = ${kind}::trail_kind
  ), newest as (${newestTimes}), record as (
    select id as record_id, known_id, ${leafHash} as hash, row_number() over (partition by id) as copy,
      id between 1 and ${lastIssued(kind)} and exists (
        select from newest where line.recorded_at between newest.recorded_at - interval '1 minute' and newest.recorded_at + interval '1 minute'
      ) as is_new, octet_length(line) > ${mostEntryBytes} as is_long
    from (${linesOf[kind]}) as line
  ), compared as (
    select record_id, known_id, case
      when copy > 1 then 'is there twice'
      when n is null and is_long then 'is too long for an entry'
      when n is null and is_new then null
      when n is null then 'has no entry: it was slipped in, or is not numbered yet'
      when index is null or index not between 0 and ${indexEnd}::bigint - 1 then 'has an entry outside of the trail'
      when n > 1 then 'numbered twice'
      when record.hash is null then pg_catalog.concat('removed; it had entry ', index)
      when record.hash is distinct from entry.hash then 'changed'
    end as what
    from record full join entry using (record_id)
  )
  select coalesce(known_id, record_id)::text as id, what from compared where what is not null order by record_id`;

/** Entries that no comparison above includes. */
const withoutKind = sql`
  select index::text as id, 'has no known kind' as what from trail_entry
  where kind is null or kind::text not in (${listOf(entryKinds.map(knownWord))}) order by index`;

/** Employees and assets whose state is not that of their last record, and those that are gone. */
const unrecordedOf = ({ kind, table, id, state }: Subject): Statement => sql`
  select id::text, 'changed without a record' as what from ${table} subject
  where row(${state}) is distinct from (select row(${state}) from ${tableOf[kind]} where ${id} = subject.id order by id desc limit 1)
  union
  select ${id}::text, 'removed' from ${tableOf[kind]} where not exists (select from ${table} subject where subject.id = ${id})`;

/** The statements of `verify --database`, by the name of what they find. Each row is an id and what does not agree. */
export const comparisons: readonly (readonly [string, Statement])[] = [
  ...entryKinds.map(kind => [kind, comparisonOf(kind)] as const),
  ["entry", withoutKind],
  ...subjects.map(subject => [subject.kind, unrecordedOf(subject)] as const),
];

/** The newest record of a kind that has an entry, if it is gone or changed. */
const newestFault = (kind: EntryKind): Statement => sql`
  select concat('the newest ', ${kind}::text, ' record in the trail, ', record_id, ', ',
    case when found is null then 'is gone' else 'was changed' end) as fault
  from (select record_id, hash from trail_entry where kind = ${kind}::trail_kind order by record_id desc limit 1) as newest
  left join lateral (
    select ${leafHash} as found from (${linesOf[kind]} where id = record_id ${asLookup}) as line
  ) as record on true
  where found is distinct from hash`;

/** The newest employee, or asset, if no record says that it was made: none of its triggers has run. */
const unrecorded = ({ kind, table, id }: Subject): Statement => sql`
  select concat(${kind}::text, ' ', id, ' has no record') as fault
  from (select id from ${table} order by id desc limit 1) as newest
  where not exists (select from ${tableOf[kind]} where ${id} = newest.id)`;

/**
 * A row for each thing that is not as the trail says, of the newest records only: it costs the same whatever the tables hold.
 * `verify --database` compares all.
 */
export const newestFaults: Statement = unionOf([...entryKinds.map(newestFault), ...subjects.map(unrecorded)]);
