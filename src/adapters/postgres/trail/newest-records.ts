import { type EntryKind, entryKinds } from "../../../domain/trail/entry.ts";
import { type Statement, sql } from "../connection/statement.ts";
import { leafHash, linesOf, type Subject, subjects, tableOf, unionOf } from "./entries.ts";

/** The newest record of a kind that has an entry, if it is gone or changed. */
const newestOf = (kind: EntryKind): Statement => sql`
  select concat('the newest ', ${kind}::text, ' record in the trail, ', record_id, ', ',
    case when found is null then 'is gone' else 'was changed' end) as fault
  from (select record_id, hash from trail_entry where kind = ${kind}::trail_kind order by record_id desc limit 1) as newest
  left join lateral (
    select ${leafHash} as found from (${linesOf[kind]} where id = record_id offset 0) as line
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
export const newestFaults: Statement = unionOf([...entryKinds.map(newestOf), ...subjects.map(unrecorded)]);
