import type { ActivityFilter } from "../../../domain/activity.ts";
import type { Asset } from "../../../domain/asset.ts";
import type { Employee } from "../../../domain/employee.ts";
import type { LogFilter, MaintenanceLog } from "../../../domain/maintenance-log.ts";
import type { RefusedQuery } from "./route.ts";

/** The fields of a record that no list can be filtered by, each with what to send in its place. */
type Unfiltered<Record, Filter> = RefusedQuery & {
  readonly [Name in Exclude<keyof Record, keyof Filter>]: string;
};

const isActive = ": write active";

export const ofEmployees: Unfiltered<Employee, ActivityFilter> = {
  id: ": read /employees/{id}",
  firstName: "",
  lastName: "",
  phone: "",
  email: "",
  role: "",
  isActive,
};

export const ofAssets: Unfiltered<Asset, ActivityFilter> = {
  id: ": read /assets/{id}",
  name: "",
  description: "",
  lastLogDate: "",
  isActive,
};

export const ofLogs: Unfiltered<MaintenanceLog, LogFilter> = {
  id: ": read /logs/{id}",
  performedDate: ": write performedFrom and performedTo",
  comment: "",
  assetId: ": read /assets/{id}/logs",
  assetName: "",
  performedByEmployeeId: ": read /logs/employee/{id}",
  performedByName: "",
};
