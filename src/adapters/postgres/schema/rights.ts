import { type Statement, sql } from "../connection/statement.ts";
import type { Protection } from "./protection.ts";

/** A right as PostgreSQL's has_…_privilege functions name it. */
type Right = readonly [privilege: string, table: string, column?: string];

/** @param names separated by blanks */
const onTables = (privilege: string, names: string): readonly Right[] =>
  names.split(" ").map(table => [privilege, table] as const);
const onColumns = (privilege: string, table: string, names: string): readonly Right[] =>
  names.split(" ").map(column => [privilege, table, column] as const);

const trailTables = "trail_entry trail_node trail_checkpoint trail_acceptance";
const appendOnly = `maintenance_log employee_event asset_event ${trailTables}`;

const needless: readonly Right[] = [
  ...onTables("update", appendOnly),
  ...onTables("delete", `employee asset ${appendOnly}`),
  ...onTables("truncate", `employee asset ${appendOnly}`),
  // When a record was taken is for the database to say.
  ...["maintenance_log", "employee_event", "asset_event"].flatMap(table =>
    onColumns("insert", table, "recorded_at"),
  ),
];

/** Those of the rights that the role of the connection has, or has not. A table that is not there gives nobody a right. */
const inWords = (rights: readonly Right[], areHeld: boolean): Statement => sql`
  select concat(privilege, coalesce(' ' || "table" || '.' || "column", ' on ' || "table")) as words
  from json_to_recordset(${JSON.stringify(rights.map(([privilege, table, column]) => ({ privilege, table, column })))}::text::json)
    as a (privilege text, "table" text, "column" text)
  where ${areHeld} = coalesce(case
    when privilege = 'usage' then has_sequence_privilege(to_regclass("table"), privilege)
    when "column" is null then has_table_privilege(to_regclass("table"), privilege)
    else has_column_privilege(to_regclass("table"), "column", privilege)
  end, false)`;

/** A row for each right that `serve` needs, as the service role has it after migrate, and that the role of the connection lacks. */
export const missingRights = (rights: readonly Protection[]): Statement => {
  const needed = rights.flatMap(({ name: privilege, place, definition: columns }) =>
    columns === "" ? onTables(privilege, place) : onColumns(privilege, place, columns),
  );
  return sql`
    select concat('role ', current_user, ' lacks the right to ', words) from (${inWords(needed, false)}) as lacking`;
};

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

/** A row for each right that could harm the audit trail if the service process were taken over. An owner can give itself all of them. */
export const needlessRights: Statement = sql`
  select concat('role ', current_user, ' needs no right to ', words) from (
    select 'own maintenance_log' as words where ${ownsLogs}
    union all select words from (${inWords(needless, true)}) as held where not ${ownsLogs}
  ) as needless
  union all ${ofEverybody}`;
