import type { TrailRecords } from "../../../application/trail/ports.ts";
import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import { kindOf, leafHash, linesOf } from "./entries.ts";

/**
 * What does not agree, found by PostgreSQL in one walk over records and entries side by side. An owner of the tables can
 * drop every constraint, so nothing is taken for granted of an id or an index.
 */
const comparisonOf = (kind: EntryKind): Statement => sql`
  with record as (
    select id as record_id, subject, ${leafHash} as hash from (${linesOf[kind]}) as line
  ), entry as (
    select record_id, index, hash, row_number() over (partition by record_id order by index) as n
    from trail_entry where kind = ${kindOf[kind]}
  ), compared as (
    select record_id, subject, case
      when index is null and entry.hash is null then 'has no entry: it was slipped in, or is not numbered yet'
      when index is null or index not between 0 and 4503599627370495 then 'has an entry outside of the trail'
      when n > 1 then 'numbered twice'
      when record.hash is null then pg_catalog.concat('removed; it had entry ', index)
      when record.hash is distinct from entry.hash then 'changed'
    end as what
    from record full join entry using (record_id)
  )
  select coalesce(subject, record_id)::text as id, what from compared where what is not null order by record_id`;

export const makeFindings = ({ query }: Database): TrailRecords["findings"] =>
  async function* findings() {
    const statements = entryKinds.map(kind => [kind, comparisonOf(kind)] as const);
    for (const [kind, statement] of [...statements, ...unrecorded]) {
      for (const { id, what } of await query<{ id: string; what: string }>(statement))
        yield `${kind} ${id}: ${what}`;
    }
  };

/** Employees and assets whose state is not that of their last record, and those that are gone. */
const unrecordedOf = (table: Statement, events: Statement, id: Statement, state: Statement): Statement => sql`
  select id::text, 'changed without a record' as what from ${table} subject
  where row(${state}) is distinct from (select row(${state}) from ${events} where ${id} = subject.id order by id desc limit 1)
  union
  select ${id}::text, 'removed' from ${events} where not exists (select from ${table} subject where subject.id = ${id})`;

const unrecorded = [
  ["employee", unrecordedOf(sql`employee`, sql`employee_event`, sql`employee_id`, sql`role, active`)],
  ["asset", unrecordedOf(sql`asset`, sql`asset_event`, sql`asset_id`, sql`name, description, active`)],
] as const;
