import type { RecordKind, TrailRecord } from "../../../application/trail/trail-repository.ts";
import type { AssetEntry, EmployeeEntry, Entry, LogEntry } from "../../../domain/trail/entry.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";

const recordedAt = sql`recorded_at at time zone 'UTC' as "recordedAt"`;

/** What an entry says of a record; `recordId` where the id of the row is another than that of the entry. */
export const rowsOf: Readonly<Record<RecordKind, Statement>> = {
  log: sql`
    select id, performed_date as "performedDate", status, task_type as "taskType", comment, asset_id as "assetId",
      performed_by_employee_id as "performedByEmployeeId", performed_by_name as "performedByName", ${recordedAt}
    from maintenance_log`,
  employee: sql`
    select id as "recordId", employee_id as id, role, active, changed_by as "changedBy", ${recordedAt}
    from employee_event`,
  asset: sql`
    select id as "recordId", asset_id as id, name, description, active, changed_by as "changedBy", ${recordedAt}
    from asset_event`,
};

type Unkinded<E extends Entry> = Omit<E, "kind">;
export type RecordRow = (Unkinded<LogEntry> | Unkinded<EmployeeEntry> | Unkinded<AssetEntry>) & {
  readonly recordId?: number;
};

export const toRecord = (kind: RecordKind, { recordId, ...fields }: RecordRow): TrailRecord => ({
  kind,
  recordId: recordId ?? fields.id,
  entry: { ...fields, kind, recordedAt: withMicroseconds(fields.recordedAt) } as Entry,
});

/** PostgreSQL cuts trailing zeros; an entry always has six digits. */
const withMicroseconds = (moment: string | null): string | null =>
  moment === null ? null : `${(moment.length === 19 ? `${moment}.` : moment).padEnd(26, "0")}Z`;

export const makeTrailRecords = ({ query }: Database) => ({
  async recordsAfter(kind: RecordKind, id: number, limit: number): Promise<TrailRecord[]> {
    const rows = await query<RecordRow>(sql`${rowsOf[kind]} where id > ${id} order by id limit ${limit}`);
    return rows.map(row => toRecord(kind, row));
  },

  async records(kind: RecordKind, ids: readonly number[]): Promise<TrailRecord[]> {
    if (ids.length === 0) return [];
    const rows = await query<RecordRow>(sql`${rowsOf[kind]} where id = any (${`{${ids}}`}::text::bigint[])`);
    return rows.map(row => toRecord(kind, row));
  },
});
