import type { RecordKind, TrailRecord } from "../../../application/trail/trail-repository.ts";
import type { Entry } from "../../../domain/trail/entry.ts";
import type { Database } from "../connection/database.ts";
import { type Statement, sql } from "../connection/statement.ts";

const moment = sql`to_json((recorded_at at time zone 'UTC')::text)`;
const jsonOr = (column: Statement) => sql`coalesce(to_json(${column})::text, 'null')`;

/**
 * The fields of a record as a JSON array. Put together from parts, since that takes PostgreSQL a third of the time of
 * json_build_array. How it writes a string is of no matter: the entry's bytes are made from what is read.
 */
const logFields = sql`concat('[', id, ',"', performed_date, '",', to_json(status), ',', to_json(task_type), ',',
  to_json(comment), ',', asset_id, ',', performed_by_employee_id, ',', ${jsonOr(sql`performed_by_name`)}, ',',
  ${jsonOr(moment)}, ']')`;

export const linesOf: Readonly<Record<RecordKind, Statement>> = {
  log: sql`select id, ${logFields} as line from maintenance_log`,
  employee: sql`
    select id, concat('[', id, ',', employee_id, ',', to_json(role), ',', to_json(active), ',',
      ${jsonOr(sql`changed_by`)}, ',', ${moment}, ']') as line
    from employee_event`,
  asset: sql`
    select id, concat('[', id, ',', asset_id, ',', to_json(name), ',', to_json(description), ',', to_json(active), ',',
      ${jsonOr(sql`changed_by`)}, ',', ${moment}, ']') as line
    from asset_event`,
};

/** What a line of each kind says, as an entry. */
const entryOf: Readonly<Record<RecordKind, (fields: never) => Entry>> = {
  log: ([id, performedDate, status, taskType, comment, assetId, performedByEmployeeId, performedByName, at]: [
    number,
    string,
    never,
    never,
    string,
    number,
    number,
    string | null,
    string | null,
  ]) => ({
    kind: "log",
    id,
    performedDate: performedDate.replace(" ", "T"),
    status,
    taskType,
    comment,
    assetId,
    performedByEmployeeId,
    performedByName,
    recordedAt: toMoment(at),
  }),
  employee: ([, id, role, active, changedBy, at]: [
    number,
    number,
    never,
    boolean,
    number | null,
    string,
  ]) => ({
    kind: "employee",
    id,
    role,
    active,
    changedBy,
    recordedAt: toMoment(at),
  }),
  asset: ([, id, name, description, active, changedBy, at]: [
    number,
    number,
    string,
    string,
    boolean,
    number | null,
    string,
  ]) => ({ kind: "asset", id, name, description, active, changedBy, recordedAt: toMoment(at) }),
};

/** PostgreSQL cuts trailing zeros; an entry always has six digits. */
const toMoment = (at: string | null): string | null =>
  at === null ? null : `${at.slice(0, 10)}T${at.slice(11, 19)}.${at.slice(20).padEnd(6, "0")}Z`;

/** @param fields a line, parsed */
export const toRecord = (kind: RecordKind, fields: unknown): TrailRecord => ({
  kind,
  recordId: (fields as [number])[0],
  entry: entryOf[kind](fields as never),
});

export function makeTrailRecords({ queryBytes }: Database) {
  async function read(kind: RecordKind, lines: Statement): Promise<TrailRecord[]> {
    const [row] = await queryBytes(sql`select string_agg(line, ',') from (${lines}) as record`);
    const fields = JSON.parse(`[${row?.[0] ?? ""}]`) as readonly unknown[];
    return fields.map(fields => toRecord(kind, fields));
  }
  return {
    recordsAfter: (kind: RecordKind, id: number, limit: number) =>
      read(kind, sql`${linesOf[kind]} where id > ${id} order by id limit ${limit}`),

    records: async (kind: RecordKind, ids: readonly number[]) =>
      ids.length === 0
        ? []
        : read(kind, sql`${linesOf[kind]} where id = any (${`{${ids}}`}::text::bigint[])`),
  };
}
