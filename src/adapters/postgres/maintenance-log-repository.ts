import type { Batches, MaintenanceLogRepository } from "../../application/ports.ts";
import { foldEmail } from "../../domain/employee.ts";
import { notFound, performerUnknown } from "../../domain/error.ts";
import type { LogFilter, MaintenanceLog } from "../../domain/maintenance-log.ts";
import type { Database, Sql } from "./connection.ts";
import { pageSize, pages } from "./pages.ts";

/** A log with the names that its readers see: what every query here selects. */
const logs = (sql: Sql) => sql`
  select l.id, l.performed_date as "performedDate", l.status, l.task_type as "taskType", l.comment,
    l.asset_id as "assetId", a.name as "assetName",
    l.performed_by_employee_id as "performedByEmployeeId", e.first_name || ' ' || e.last_name as "performedByName"
  from maintenance_log l
  join asset a on a.id = l.asset_id
  join employee e on e.id = l.performed_by_employee_id`;

interface Scope extends LogFilter {
  readonly assetId?: number;
  readonly employeeId?: number;
}

export function makeMaintenanceLogRepository({ query }: Database): MaintenanceLogRepository {
  const list = ({ assetId, employeeId, status, taskType }: Scope): Batches<MaintenanceLog> =>
    pages(last =>
      query<MaintenanceLog>(
        sql => sql`${logs(sql)}
          where (l.performed_date, l.id)
            < (${last?.performedDate ?? "infinity"}::text::timestamp, ${last?.id ?? Number.MAX_SAFE_INTEGER})
            ${assetId === undefined ? sql`` : sql`and l.asset_id = ${assetId}`}
            ${employeeId === undefined ? sql`` : sql`and l.performed_by_employee_id = ${employeeId}`}
            ${status === undefined ? sql`` : sql`and l.status = ${status}`}
            ${taskType === undefined ? sql`` : sql`and l.task_type = ${taskType}`}
          order by l.performed_date desc, l.id desc limit ${pageSize}`,
      ),
    );

  return {
    async append(assetId, performer, { performedDate, status, taskType, comment }) {
      const [outcome] = await query<MaintenanceLog>(
        sql => sql`
          with asset_found as (
            select id, name from asset where id = ${assetId}
          ), performer as (
            select id, first_name || ' ' || last_name as name from employee
            where id = ${performer.employeeId} and email_folded = ${foldEmail(performer.email)}
          ), written as (
            insert into maintenance_log
              (performed_date, status, task_type, comment, asset_id, performed_by_employee_id)
            select ${performedDate}::text::timestamp, ${status}, ${taskType}, ${comment}, asset_found.id, performer.id
            from asset_found, performer
            returning id, performed_date, status, task_type, comment
          )
          select w.id, w.performed_date as "performedDate", w.status, w.task_type as "taskType", w.comment,
            a.id as "assetId", a.name as "assetName", p.id as "performedByEmployeeId", p.name as "performedByName"
          from (values (true)) as always
          left join asset_found a on true left join performer p on true left join written w on true`,
      );
      if (outcome?.performedByEmployeeId == null) throw performerUnknown();
      if (outcome.assetId === null) throw notFound("Asset");
      return outcome;
    },

    async find(id) {
      const [log] = await query<MaintenanceLog>(sql => sql`${logs(sql)} where l.id = ${id}`);
      if (log === undefined) throw notFound("Log");
      return log;
    },

    list,

    async *listOfAsset(assetId, filter) {
      const found = () => query(sql => sql`select id from asset where id = ${assetId}`);
      yield* orNotFound(list({ ...filter, assetId }), found, "Asset");
    },

    async *listOfPerformer(employeeId) {
      const found = () => query(sql => sql`select id from employee where id = ${employeeId}`);
      yield* orNotFound(list({ employeeId }), found, "Employee");
    },

    async *listOfActiveAssets(limit) {
      const newest = await query<MaintenanceLog>(
        sql => sql`${logs(sql)} where a.active order by l.performed_date desc, l.id desc limit ${limit}`,
      );
      if (newest.length > 0) yield newest;
    },
  };
}

/** Asks for the list's owner only when there is nothing to list: owners are never deleted, so later is soon enough. */
async function* orNotFound(
  list: Batches<MaintenanceLog>,
  found: () => Promise<readonly unknown[]>,
  owner: "Asset" | "Employee",
): Batches<MaintenanceLog> {
  let empty = true;
  for await (const batch of list) {
    empty = false;
    yield batch;
  }
  if (empty && (await found()).length === 0) throw notFound(owner);
}
