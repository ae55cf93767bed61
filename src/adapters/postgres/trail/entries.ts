import type { EntryKind } from "../../../domain/trail/entry.ts";
import { type Statement, sql } from "../connection/statement.ts";

const jsonOr = (column: Statement) => sql`coalesce(pg_catalog.to_json(${column})::text, 'null')`;

/** A full name: PostgreSQL 18 looks for the abbreviation UTC among those of the session's time zone first, where it may be another. */
const moment = sql`coalesce(pg_catalog.to_char(recorded_at at time zone 'Etc/UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.US"Z\\""'), 'null')`;

/**
 * Each record as the bytes of its entry (domain/trail/entry.ts). PostgreSQL writes strings as RFC 8785 asks for: it escapes
 * the quotation mark, the backslash and control characters only, in the same form. The types of status and task type have
 * only words that need no escape. `concat` takes a third of the time of json_build_object. Functions are qualified, because the
 * owner of the schema could put others in their place. `subject` is the id by which people know the record. Callers add joins and
 * conditions at the end.
 */
export const linesOf: Readonly<Record<EntryKind, Statement>> = {
  log: sql`
    select id, id as subject, recorded_at, pg_catalog.concat(
      '{"assetId":', asset_id, ',"comment":', pg_catalog.to_json(comment), ',"id":', id,
      ',"kind":"log","performedByEmployeeId":', performed_by_employee_id,
      ',"performedByName":', ${jsonOr(sql`performed_by_name`)},
      ',"performedDate":', pg_catalog.to_json(performed_date), ',"recordedAt":', ${moment},
      ',"status":"', status, '","taskType":"', task_type, '"}') as line
    from maintenance_log record`,
  employee: sql`
    select id, employee_id as subject, recorded_at, pg_catalog.concat(
      '{"active":', pg_catalog.to_json(active), ',"changedBy":', ${jsonOr(sql`changed_by`)}, ',"id":', employee_id,
      ',"kind":"employee","recordedAt":', ${moment}, ',"role":', pg_catalog.to_json(role), '}') as line
    from employee_event record`,
  asset: sql`
    select id, asset_id as subject, recorded_at, pg_catalog.concat(
      '{"active":', pg_catalog.to_json(active), ',"changedBy":', ${jsonOr(sql`changed_by`)},
      ',"description":', pg_catalog.to_json(description), ',"id":', asset_id, ',"kind":"asset","name":', pg_catalog.to_json(name),
      ',"recordedAt":', ${moment}, '}') as line
    from asset_event record`,
};

/** The rows that are records. */
export const tableOf: Readonly<Record<EntryKind, Statement>> = {
  employee: sql`employee_event`,
  asset: sql`asset_event`,
  log: sql`maintenance_log`,
};

/** What changes, and the part of its state of which each change is a record. */
export const subjects = [
  { kind: "employee", table: sql`employee`, id: sql`employee_id`, state: sql`role, active` },
  { kind: "asset", table: sql`asset`, id: sql`asset_id`, state: sql`name, description, active` },
] as const;
export type Subject = (typeof subjects)[number];

/** Indexes are below it. The owner of the tables can drop the constraint, and put one that leaves no room for the next. */
export const indexEnd = 2 ** 52;

/** Another one for each start of a server, and so for a standby that is promoted. */
export const serverStart = sql`pg_postmaster_start_time()::text`;

/** What gives the records of a kind their ids. The owner of the tables can insert any other. */
export const sequenceOf: Readonly<Record<EntryKind, Statement>> = {
  employee: sql`employee_event_id_seq`,
  asset: sql`asset_event_id_seq`,
  log: sql`maintenance_log_id_seq`,
};

/** The leaf hash of a line (RFC 6962, section 2.1): to hash it in PostgreSQL takes less time than to send it. */
export const leafHash = sql`
  pg_catalog.sha256('\\x00'::bytea operator(pg_catalog.||) pg_catalog.convert_to(line, 'UTF8'))`;
