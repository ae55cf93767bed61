import type { MaintenanceLogRepository } from "../../../application/ports.ts";
import { notFound } from "../../../domain/error.ts";
import type { MaintenanceLog } from "../../../domain/maintenance-log.ts";
import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { makeAppend } from "./log-append.ts";
import { makeLogLists } from "./log-lists.ts";
import { fullName, SharedNames } from "./names.ts";

/** Logs with the names that clients see. A log is shown also when its asset or employee is gone. */
const logs = sql`
  select l.id, l.performed_date as "performedDate", l.status, l.task_type as "taskType", l.comment,
    l.asset_id as "assetId", coalesce(a.name, '') as "assetName",
    l.performed_by_employee_id as "performedByEmployeeId",
    coalesce(${fullName}, '') as "performedByName"
  from maintenance_log l
  left join asset a on a.id = l.asset_id
  left join employee e on e.id = l.performed_by_employee_id`;

export function makeMaintenanceLogRepository(
  database: Database,
  names = new SharedNames(database),
): MaintenanceLogRepository {
  const findOne = batched(
    database.query<MaintenanceLog>,
    (ids: readonly number[]) => sql`${logs} where l.id = any (${`{${ids}}`}::text::bigint[])`,
    (found, ids) => {
      const byId = new Map(found.map(log => [log.id, log]));
      return ids.map(id => byId.get(id));
    },
  );

  return {
    append: makeAppend(database),

    async find(id) {
      const log = await findOne(id);
      if (log === undefined) throw notFound("Log");
      return log;
    },

    ...makeLogLists(database, names),
  };
}
