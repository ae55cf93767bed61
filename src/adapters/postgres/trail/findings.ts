import type { Finding, TrailRecords } from "../../../application/trail/ports.ts";
import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";
import { kindOf, leafHash, linesOf } from "./entries.ts";

/** The id that the finding names: that of the employee or asset whose state the record is. */
const subjectOf: Readonly<Record<EntryKind, Statement>> = {
  employee: sql`(select employee_id from employee_event where id = record_id)`,
  asset: sql`(select asset_id from asset_event where id = record_id)`,
  log: sql`record_id`,
};

/**
 * What does not agree, found by PostgreSQL in one walk over records and entries side by side. An owner of the tables can
 * drop every constraint, so nothing is taken for granted of an id or an index.
 */
const comparisonOf = (kind: EntryKind): Statement => sql`
  with record as (
    select id as record_id, ${leafHash} as hash from (${linesOf[kind]}) as line
  ), entry as (
    select record_id, index, hash, row_number() over (partition by record_id order by index) as n
    from trail_entry where kind = ${kindOf[kind]}
  ), compared as (
    select record_id, case
      when index is null and entry.hash is null then 'has no entry: it was slipped in, or is not numbered yet'
      when index is null or index not between 0 and 4503599627370495 then 'has an entry outside of the trail'
      when n > 1 then 'numbered twice'
      when record.hash is null then pg_catalog.concat('removed; it had entry ', index)
      when record.hash is distinct from entry.hash then 'changed'
    end as what
    from record full join entry using (record_id)
  )
  select coalesce(${subjectOf[kind]}, record_id)::text as id, what from compared where what is not null order by record_id`;

export const makeFindings = ({ query }: Database): TrailRecords["findings"] =>
  async function* findings() {
    const statements = entryKinds.map(kind => [kind, comparisonOf(kind)] as const);
    for (const [kind, statement] of [...statements, ...unrecorded]) {
      for (const row of await query<Omit<Finding, "kind">>(statement)) yield { kind, ...row };
    }
  };

/** Employees and assets whose state is not that of their last record, and those that are gone. */
const unrecorded = [
  [
    "employee",
    sql`
    select id::text, 'changed without a record' as what from employee r left join lateral (
      select role, active from employee_event where employee_id = r.id order by id desc limit 1
    ) last on true where (r.role, r.active) is distinct from (last.role, last.active)
    union
    select employee_id::text, 'removed' from employee_event e
    where not exists (select from employee where id = e.employee_id)`,
  ],
  [
    "asset",
    sql`
    select id::text, 'changed without a record' as what from asset r left join lateral (
      select name, description, active from asset_event where asset_id = r.id order by id desc limit 1
    ) last on true where (r.name, r.description, r.active) is distinct from (last.name, last.description, last.active)
    union
    select asset_id::text, 'removed' from asset_event e
    where not exists (select from asset where id = e.asset_id)`,
  ],
] as const;
