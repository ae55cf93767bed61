import type { Repositories } from "../../../application/ports.ts";
import type { Database } from "../connection/database.ts";
import { makeTrailRepository } from "../trail/trail-repository.ts";
import { makeAssetRepository } from "./asset-repository.ts";
import { makeEmployeeRepository } from "./employee-repository.ts";
import { makeMaintenanceLogRepository } from "./maintenance-log-repository.ts";

/** All records of the service, kept in one PostgreSQL database. */
export const makeRepositories = (database: Database): Repositories => ({
  employees: makeEmployeeRepository(database),
  assets: makeAssetRepository(database),
  maintenanceLogs: makeMaintenanceLogRepository(database),
  trail: makeTrailRepository(database),
});
