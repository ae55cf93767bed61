import { activityFilterFields } from "../../../domain/activity.ts";
import { assetProperties } from "../../../domain/asset.ts";
import { employeeProperties } from "../../../domain/employee.ts";
import type { Fields } from "../../../domain/field.ts";
import { logFilterFields, logProperties } from "../../../domain/maintenance-log.ts";
import type { Properties } from "../../../domain/record.ts";
import type { RefusedQuery } from "./route.ts";

/** The properties of a record that no list can be filtered by. `instead` says what to send in place of some of them. */
function unfilteredOf(properties: Properties, filter: Fields, instead: RefusedQuery): RefusedQuery {
  const names = Object.keys(properties).filter(name => !(name in filter));
  return { ...Object.fromEntries(names.map(name => [name, ""])), ...instead };
}

const isActive = ": write active";

export const ofEmployees = unfilteredOf(employeeProperties, activityFilterFields, {
  id: ": read /employees/{id}",
  isActive,
});

export const ofAssets = unfilteredOf(assetProperties, activityFilterFields, {
  id: ": read /assets/{id}",
  isActive,
});

export const ofLogs = unfilteredOf(logProperties, logFilterFields, {
  id: ": read /logs/{id}",
  performedDate: ": write performedFrom and performedTo",
  assetId: ": read /assets/{id}/logs",
  performedByEmployeeId: ": read /logs/employee/{id}",
});
