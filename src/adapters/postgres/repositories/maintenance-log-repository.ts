import type { MaintenanceLogRepository } from "../../../application/ports.ts";
import { notFound } from "../../../domain/error.ts";
import type { MaintenanceLog } from "../../../domain/maintenance-log.ts";
import { gather } from "../batching/gather.ts";
import type { Database } from "../connection/database.ts";
import { sql } from "../connection/statement.ts";
import { makeAppend } from "./log-append.ts";
import { makeLogLists } from "./log-lists.ts";
import { logs } from "./log-rows.ts";

export function makeMaintenanceLogRepository(database: Database): MaintenanceLogRepository {
  const findOne = gather<number, MaintenanceLog>(async takeIds => {
    const found = await database.query<MaintenanceLog>(
      () => sql`${logs} where l.id = any (${`{${takeIds()}}`}::text::bigint[])`,
    );
    return new Map(found.map(log => [log.id, log]));
  });

  return {
    append: makeAppend(database),

    async find(id) {
      const log = await findOne(id);
      if (log === undefined) throw notFound("Log");
      return log;
    },

    ...makeLogLists(database),
  };
}
