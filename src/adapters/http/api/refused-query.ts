import { activityFilterFields } from "../../../domain/activity.ts";
import { assetProperties } from "../../../domain/asset.ts";
import { employeeProperties } from "../../../domain/employee.ts";
import type { Fields } from "../../../domain/field.ts";
import { logFilterFields, logProperties } from "../../../domain/maintenance-log.ts";
import type { Properties } from "../../../domain/record.ts";

/** Query parameters that are refused: if they were ignored, the client would get another list than it wants. Each has the end of its message. */
export type RefusedQuery = Readonly<Record<string, string>>;

/** The properties of a record that no list can be filtered by. `instead` says what to send in place of some of them. */
function refusalsOf(properties: Properties, filter: Fields, instead: RefusedQuery): RefusedQuery {
  const names = Object.keys(properties).filter(name => !(name in filter));
  return { ...Object.fromEntries(names.map(name => [name, ""])), ...instead };
}

const isActive = ": write active";

export const forEmployees = refusalsOf(employeeProperties, activityFilterFields, {
  id: ": read /employees/{id}",
  isActive,
});

export const forAssets = refusalsOf(assetProperties, activityFilterFields, {
  id: ": read /assets/{id}",
  isActive,
});

export const forLogs = refusalsOf(logProperties, logFilterFields, {
  id: ": read /logs/{id}",
  performedDate: ": write performedFrom and performedTo",
  assetId: ": read /assets/{id}/logs",
  performedByEmployeeId: ": read /logs/employee/{id}",
});

const byLinks = ": write limit, and follow the links";

/** With the names that other services use for pages: if they were ignored, a client would get the first page for ever. */
export const forLogPages: RefusedQuery = {
  ...forLogs,
  ...Object.fromEntries(["page", "offset", "skip", "cursor", "after"].map(name => [name, byLinks])),
};
