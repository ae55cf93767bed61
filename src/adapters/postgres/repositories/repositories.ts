import type { Repositories } from "../../../application/ports.ts";
import type { Database } from "../connection/database.ts";
import { makeCheckpoints } from "../trail/checkpoints.ts";
import { makeLedger } from "../trail/ledger.ts";
import { makeTrailRecords } from "../trail/records.ts";
import { makeAssetRepository } from "./asset-repository.ts";
import { makeEmployeeRepository } from "./employee-repository.ts";
import { makeMaintenanceLogRepository } from "./maintenance-log-repository.ts";
import { SharedNames } from "./names.ts";

/** All records of the service, kept in one PostgreSQL database. */
export function makeRepositories(database: Database): Repositories {
  const names = new SharedNames(database);
  const employees = makeEmployeeRepository(database);
  return {
    employees: {
      ...employees,
      update: (...change) => employees.update(...change).finally(() => names.forget()),
    },
    assets: makeAssetRepository(database),
    maintenanceLogs: makeMaintenanceLogRepository(database, names),
    trail: {
      ledger: makeLedger(database),
      records: makeTrailRecords(database),
      checkpoints: makeCheckpoints(database),
    },
  };
}
