import { type Asset, newAssetFields } from "../../../domain/asset.ts";
import { type Employee, registrationFields } from "../../../domain/employee.ts";
import type { Schema } from "../../../domain/field.ts";
import { type MaintenanceLog, newLogFields } from "../../../domain/maintenance-log.ts";

const id = { type: "integer", minimum: 1 };
const text = { type: "string" };
const flag = { type: "boolean" };

/** An object with just these properties, each of which is always there. */
const record = <T>(properties: Readonly<Record<keyof T, Schema>>, example: T) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  examples: [example],
});

const employee: Employee = {
  id: 3,
  firstName: "Ada",
  lastName: "Byron",
  phone: "+45 12 34 56 78",
  email: "ada@example.com",
  role: "TECHNICIAN",
  active: true,
};

/** What the service answers, by name, with an example of each (specification, section 2). */
export const recordSchemas = {
  Employee: record<Employee>(
    {
      id,
      firstName: registrationFields.firstName.schema,
      lastName: registrationFields.lastName.schema,
      phone: registrationFields.phone.schema,
      email: registrationFields.email.schema,
      role: registrationFields.role.schema,
      active: flag,
    },
    employee,
  ),
  Asset: record<Asset>(
    {
      id,
      name: newAssetFields.name.schema,
      description: newAssetFields.description.schema,
      active: flag,
      lastLogDate: {
        ...newLogFields.performedDate.schema,
        type: ["string", "null"],
        description: "`performedDate` of the newest log; null without logs, and in lists",
      },
    },
    {
      id: 7,
      name: "Pump 7",
      description: "Left of the door",
      active: true,
      lastLogDate: "2026-11-21T09:30:00",
    },
  ),
  MaintenanceLog: record<MaintenanceLog>(
    {
      id,
      performedDate: newLogFields.performedDate.schema,
      status: newLogFields.status.schema,
      taskType: newLogFields.taskType.schema,
      comment: newLogFields.comment.schema,
      assetId: id,
      assetName: text,
      performedByEmployeeId: id,
      performedByName: text,
    },
    {
      id: 42,
      performedDate: "2026-11-21T09:30:00",
      status: "COMPLETED",
      taskType: "MAINTENANCE",
      comment: "Oil changed",
      assetId: 7,
      assetName: "Pump 7",
      performedByEmployeeId: 3,
      performedByName: "Ada Byron",
    },
  ),
  LoginResult: record(
    { token: text, authUser: { $ref: "#/components/schemas/Employee" } },
    { token: "eyJhbGciOiJIUzI1NiJ9.…", authUser: employee },
  ),
  Error: record({ status: { type: "integer" }, msg: text }, { status: 400, msg: "First name is required" }),
  Welcome: record({ message: text }, { message: "Welcome to the Maintenance Log Service" }),
  RouteOverview: record(
    { method: text, path: text, roles: { type: "array", items: text } },
    { method: "POST", path: "/auth/login", roles: [] as string[] },
  ),
  OpenApiDocument: {
    type: "object",
    required: ["openapi", "info", "paths"],
    examples: [{ openapi: "3.1.0", info: {}, paths: {} }],
  },
} satisfies Record<string, Schema>;

export type RecordName = keyof typeof recordSchemas;
