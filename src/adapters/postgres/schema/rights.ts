import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";

/** What the role of this connection may do, measured against what `serve` needs (sql/service_role.sql). */
export interface Rights {
  readonly role: string;
  /** The database, quoted, if every role of the server may connect to it: one of another database's services too. */
  readonly anybodyConnects: string | undefined;
  /** In words that follow "the right to". */
  readonly missing: readonly string[];
  /** What could harm the audit trail if the service process were taken over. */
  readonly excessive: readonly string[];
}

type Right = readonly [privilege: string, table: string, column?: string];

const onColumns = (privilege: string, table: string, columns: string): readonly Right[] =>
  columns.split(" ").map(column => [privilege, table, column] as const);

const eventTables = ["employee_event", "asset_event"];
const trailTables = "trail_run trail_tile trail_checkpoint trail_acceptance trail_reading".split(" ");

export const needed: readonly Right[] = [
  ["select", "schema_migration"],
  ...["employee", "asset", "maintenance_log", ...eventTables, ...trailTables].map(
    table => ["select", table] as const,
  ),
  ...["employee", "asset", ...trailTables].map(table => ["insert", table] as const),
  ...onColumns(
    "insert",
    "maintenance_log",
    "id performed_date status task_type comment asset_id performed_by_employee_id idempotency_key performed_by_name",
  ),
  ...onColumns("insert", "employee_event", "employee_id role active changed_by"),
  ...onColumns("insert", "asset_event", "asset_id name description active changed_by"),
  ...onColumns(
    "update",
    "employee",
    "first_name last_name phone email email_folded role active password_hash surviving_token_id asked_by",
  ),
  ...onColumns("update", "asset", "active asked_by"),
  ["usage", "maintenance_log_id_seq"],
  ...["maintenance_log", ...eventTables].map(table => ["select", `${table}_id_seq`] as const),
];

const needless: readonly Right[] = [
  ...["maintenance_log", ...eventTables, ...trailTables].map(table => ["update", table] as const),
  ...["maintenance_log", "employee", "asset", ...eventTables, ...trailTables].flatMap(table => [
    ["delete", table] as const,
    ["truncate", table] as const,
  ]),
  // When a record was taken is for the database to say.
  ...["maintenance_log", ...eventTables].map(table => ["insert", table, "recorded_at"] as const),
];

interface RightRow {
  readonly privilege: string;
  readonly table: string;
  readonly column: string | null;
  readonly held: boolean;
}

interface Session {
  readonly role: string;
  readonly ownsLogs: boolean;
  readonly anybodyConnects: string | null;
}

/** Whether writes are refused to everybody here: a standby, or a server that was set so. */
export async function isReadOnly({ query }: Database): Promise<boolean> {
  const [row] = await query<{ isReadOnly: boolean }>(
    sql`select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  return row?.isReadOnly === true;
}

/** Needs the tables of the present schema. */
export async function readRights({ query }: Database): Promise<Rights> {
  const held = (rights: readonly Right[]) => {
    const wanted = JSON.stringify(
      rights.map(([privilege, table, column = null]) => ({ privilege, table, column })),
    );
    return query<RightRow>(
      sql`
        select a.privilege, a.table, a.column,
          case
            when a.privilege = 'usage' then has_sequence_privilege(a.table, a.privilege)
            when a.column is null then has_table_privilege(a.table, a.privilege)
            else has_column_privilege(a.table, a.column, a.privilege)
          end as held
        from json_to_recordset(${wanted}::text::json) as a (privilege text, "table" text, "column" text)`,
    );
  };
  const [session] = await query<Session>(
    sql`
      select current_user as role, pg_has_role(relowner, 'usage') as "ownsLogs",
        case when has_database_privilege('public', current_database(), 'connect')
          then quote_ident(current_database()) end as "anybodyConnects"
      from pg_class where oid = 'maintenance_log'::regclass`,
  );
  const { role, ownsLogs, anybodyConnects } = session as Session;
  const missing = (await held(needed)).filter(right => !right.held).map(inWords);
  const excessive = (await held(needless)).filter(right => right.held).map(inWords);
  // An owner has all the others too, and can give them back to itself.
  return {
    role,
    anybodyConnects: anybodyConnects ?? undefined,
    missing,
    excessive: ownsLogs ? ["own maintenance_log"] : excessive,
  };
}

const inWords = ({ privilege, table, column }: RightRow): string =>
  column === null ? `${privilege} on ${table}` : `${privilege} ${table}.${column}`;
