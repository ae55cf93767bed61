import type { LogFilter, LogPart, MaintenanceLog, NewLog } from "../domain/maintenance-log.ts";
import type { Caller } from "./authentication.ts";
import type { JsonList } from "./json-list.ts";
import type { Appended, Ports } from "./ports.ts";

/** Logs are written and read, and nothing else (specification, section 1). */
export function makeMaintenanceLogs({ maintenanceLogs }: Pick<Ports, "maintenanceLogs">) {
  return {
    /** The performer is the caller, never a field of the body. Throws NOT_FOUND, UNAUTHENTICATED, UNPROCESSABLE. */
    write: (caller: Caller, assetId: number, log: NewLog, idempotencyKey?: string): Promise<Appended> =>
      maintenanceLogs.append(assetId, caller, log, idempotencyKey),

    /** Throws NOT_FOUND. */
    find: (id: number): Promise<MaintenanceLog> => maintenanceLogs.find(id),

    list: (part: LogPart): JsonList<MaintenanceLog> => maintenanceLogs.list(part),

    /** Throws NOT_FOUND. */
    listOfAsset: (assetId: number, part: LogPart): JsonList<MaintenanceLog> =>
      maintenanceLogs.listOfAsset(assetId, part),

    /** Throws NOT_FOUND. */
    listOfPerformer: (employeeId: number, part: LogPart): JsonList<MaintenanceLog> =>
      maintenanceLogs.listOfPerformer(employeeId, part),

    listOfActiveAssets: (limit: number, filter: LogFilter): JsonList<MaintenanceLog> =>
      maintenanceLogs.listOfActiveAssets(limit, filter),
  };
}

export type MaintenanceLogs = ReturnType<typeof makeMaintenanceLogs>;
