import { ownSchema, type Statement, sql } from "../connection/statement.ts";
import type { Protection } from "./protection.ts";

/** In words, each right that the service role has after migrate: on a table or a sequence, or to some columns. */
const granted = (rights: readonly Protection[]): Statement => {
  const words = rights.flatMap(({ name: privilege, place, definition: columns }) =>
    columns === ""
      ? `${privilege} on ${place}`
      : columns.split(" ").map(column => `${privilege} ${place}.${column}`),
  );
  return sql`select words from json_array_elements_text(${JSON.stringify(words)}::text::json) as granted (words)`;
};

/** In the same words, each right of the role of the connection. `is_by_table`: a right to a column that follows from one on its table. */
const held = sql`
  select concat(privilege, ' on ', relname) as words, false as is_by_table
  from pg_class cross join unnest('{select,insert,update,delete,truncate}'::text[]) as privilege
  where relnamespace = ${ownSchema} and relkind = 'r' and has_table_privilege(pg_class.oid, privilege)
  union all
  select concat(privilege, ' on ', relname), false
  from pg_class cross join unnest('{usage,select}'::text[]) as privilege
  where relnamespace = ${ownSchema} and relkind = 'S' and has_sequence_privilege(pg_class.oid, privilege)
  union all
  select concat(privilege, ' ', relname, '.', attname), has_table_privilege(pg_class.oid, privilege)
  from pg_class join pg_attribute on attrelid = pg_class.oid cross join unnest('{insert,update}'::text[]) as privilege
  where relnamespace = ${ownSchema} and relkind = 'r' and attnum > 0 and not attisdropped
    and has_column_privilege(pg_class.oid, attnum, privilege)`;

/** A row for each right that `serve` needs and the role of the connection lacks. */
export const missingRights = (rights: readonly Protection[]): Statement => sql`
  select concat('role ', current_user, ' lacks the right to ', words) from (${granted(rights)}) as granted
  where words not in (select words from (${held}) as held)`;

const ownsLogs = sql`pg_has_role((select relowner from pg_class where oid = to_regclass('maintenance_log')), 'usage')`;

/** What PUBLIC, and so the role of any other service of this server, may do in a new database; and how that is ended. */
const ofEverybody = sql`
  select concat('every role of this server may ', what, ': revoke ', remedy, ' from public') from (values
    ('connect', has_database_privilege('public', current_database(), 'connect'), concat('connect on database ', quote_ident(current_database()))),
    ('make temporary tables', has_database_privilege('public', current_database(), 'temporary'), concat('temporary on database ', quote_ident(current_database()))),
    ('write large objects', has_function_privilege('public', 'lo_from_bytea(oid, bytea)', 'execute')
      or has_function_privilege('public', 'lo_create(oid)', 'execute') or has_function_privilege('public', 'lo_creat(integer)', 'execute'),
      'execute on function lo_from_bytea(oid, bytea), lo_create(oid), lo_creat(integer)')
  ) as given (what, is_held, remedy) where is_held`;

/**
 * A row for each right that the service role does not have, and for each right of PUBLIC: who takes over the service process could
 * harm the audit trail by it. An owner can give itself every right, so only the ownership is named.
 */
export const needlessRights = (rights: readonly Protection[]): Statement => sql`
  select concat('role ', current_user, ' needs no right to ', words) from (
    select 'own maintenance_log' as words where ${ownsLogs}
    union all
    select words from (${held}) as held
    where not ${ownsLogs} and not is_by_table and words not in (${granted(rights)})
  ) as needless
  union all ${ofEverybody}`;
