import { type Statement, sql } from "../connection/statement.ts";

/** A log of this part of the trail with the names that its readers see: what every query here selects. */
export const logsOf = (trail: Statement) => sql`
  select l.id, l.performed_date as "performedDate", l.status, l.task_type as "taskType", l.comment,
    l.asset_id as "assetId", coalesce(a.name, '') as "assetName",
    l.performed_by_employee_id as "performedByEmployeeId",
    coalesce(e.first_name || ' ' || e.last_name, '') as "performedByName"
  from ${trail} l
  left join asset a on a.id = l.asset_id
  left join employee e on e.id = l.performed_by_employee_id`;

export const logs = logsOf(sql`maintenance_log`);
