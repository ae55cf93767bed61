import type { LogFilter, MaintenanceLog, NewLog } from "../domain/maintenance-log.ts";
import type { Caller } from "./authentication.ts";
import type { Appended, JsonList, Ports } from "./ports.ts";

/** Logs are written and read, and nothing else (specification, section 1). */
export function makeMaintenanceLogs({ maintenanceLogs }: Pick<Ports, "maintenanceLogs">) {
  return {
    /** The performer is the caller, never a field of the body. Throws NOT_FOUND, UNAUTHENTICATED, UNPROCESSABLE. */
    write: (caller: Caller, assetId: number, log: NewLog, idempotencyKey?: string): Promise<Appended> =>
      maintenanceLogs.append(assetId, caller, log, idempotencyKey),

    /** Throws NOT_FOUND. */
    find: (id: number): Promise<MaintenanceLog> => maintenanceLogs.find(id),

    list: (filter: LogFilter): JsonList<MaintenanceLog> => maintenanceLogs.list(filter),

    /** Throws NOT_FOUND. */
    listOfAsset: (assetId: number, filter: LogFilter): JsonList<MaintenanceLog> =>
      maintenanceLogs.listOfAsset(assetId, filter),

    /** Throws NOT_FOUND. */
    listOfPerformer: (employeeId: number): JsonList<MaintenanceLog> =>
      maintenanceLogs.listOfPerformer(employeeId),

    listOfActiveAssets: (limit: number): JsonList<MaintenanceLog> =>
      maintenanceLogs.listOfActiveAssets(limit),
  };
}

export type MaintenanceLogs = ReturnType<typeof makeMaintenanceLogs>;
