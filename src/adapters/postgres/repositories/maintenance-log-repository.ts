import type { MaintenanceLogRepository } from "../../../application/ports.ts";
import { notFound } from "../../../domain/error.ts";
import { logProperties, type MaintenanceLog } from "../../../domain/maintenance-log.ts";
import { batched } from "../batching/batch.ts";
import type { Database } from "../connection/database.ts";
import { readerOf, selectionOf } from "../connection/rows.ts";
import { idArray, sql } from "../connection/statement.ts";
import { makeAppend } from "./log-append.ts";
import { makeLogLists } from "./log-lists.ts";
import { fullName, SharedNames } from "./names.ts";

/** Logs with the names that clients see. A log is shown also when its asset or employee is gone. */
const shownNames = { assetName: sql`coalesce(a.name, '')`, performedByName: sql`coalesce(${fullName}, '')` };
const logs = sql`
  select ${selectionOf(logProperties, shownNames, sql`l`)}
  from maintenance_log l
  left join asset a on a.id = l.asset_id
  left join employee e on e.id = l.performed_by_employee_id`;

export function makeMaintenanceLogRepository(
  database: Database,
  names = new SharedNames(database),
): MaintenanceLogRepository {
  const findOne = batched({
    query: database.query<MaintenanceLog>,
    read: readerOf(logProperties),
    statementFor: (ids: readonly number[]) => sql`${logs} where l.id = any (${idArray(ids)})`,
    resultsOf: (found, ids) => {
      const byId = new Map(found.map(log => [log.id, log]));
      return ids.map(id => byId.get(id));
    },
  });

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
