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

/** @param names separated by blanks */
const onTables = (privilege: string, names: string): readonly Right[] =>
  names.split(" ").map(table => [privilege, table] as const);
const onColumns = (privilege: string, table: string, names: string): readonly Right[] =>
  names.split(" ").map(column => [privilege, table, column] as const);

const trailTables = "trail_entry trail_node trail_checkpoint trail_acceptance";
const appendOnly = `maintenance_log employee_event asset_event ${trailTables}`;

export const needed: readonly Right[] = [
  ...onTables("select", `schema_migration employee asset ${appendOnly}`),
  ...onTables("insert", `employee asset ${trailTables}`),
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
  ...onTables("usage", "maintenance_log_id_seq"),
  ...onTables(
    "select",
    "employee_id_seq asset_id_seq maintenance_log_id_seq employee_event_id_seq asset_event_id_seq trail_checkpoint_id_seq trail_acceptance_id_seq",
  ),
];

const needless: readonly Right[] = [
  ...onTables("update", appendOnly),
  ...onTables("delete", `employee asset ${appendOnly}`),
  ...onTables("truncate", `employee asset ${appendOnly}`),
  // When a record was taken is for the database to say.
  ...["maintenance_log", "employee_event", "asset_event"].flatMap(table =>
    onColumns("insert", table, "recorded_at"),
  ),
];

/** Needs the tables of the present schema. */
export async function readRights({ query }: Database): Promise<Rights> {
  const inWords = async (rights: readonly Right[], areHeld: boolean): Promise<string[]> => {
    const rows = await query<{ words: string }>(
      sql`
        select concat(privilege, coalesce(' ' || "table" || '.' || "column", ' on ' || "table")) as words
        from json_to_recordset(${JSON.stringify(
          rights.map(([privilege, table, column]) => ({ privilege, table, column })),
        )}::text::json) as a (privilege text, "table" text, "column" text)
        where ${areHeld} = case
          when privilege = 'usage' then has_sequence_privilege("table", privilege)
          when "column" is null then has_table_privilege("table", privilege)
          else has_column_privilege("table", "column", privilege)
        end`,
    );
    return rows.map(({ words }) => words);
  };
  const [session] = (await query(
    sql`
      select current_user as role, pg_has_role(relowner, 'usage') as "ownsLogs",
        case when has_database_privilege('public', current_database(), 'connect')
          then quote_ident(current_database()) end as "anybodyConnects"
      from pg_class where oid = 'maintenance_log'::regclass`,
  )) as [{ role: string; ownsLogs: boolean; anybodyConnects: string | null }];
  return {
    role: session.role,
    anybodyConnects: session.anybodyConnects ?? undefined,
    missing: await inWords(needed, false),
    // An owner has all the others too, and can give them back to itself.
    excessive: session.ownsLogs ? ["own maintenance_log"] : await inWords(needless, true),
  };
}
