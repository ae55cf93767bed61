import type { RecordName, Records } from "../../../src/adapters/http/api/result.ts";
import { assetProperties } from "../../../src/domain/asset.ts";
import { type Employee, employeeProperties } from "../../../src/domain/employee.ts";
import type { Schema } from "../../../src/domain/field.ts";
import { logProperties, readStatus, readTaskType } from "../../../src/domain/maintenance-log.ts";
import { readRole } from "../../../src/domain/role.ts";
import { schemasOf } from "./field-words.ts";

/** The sets of words that have a name. */
export const wordSchemas: Readonly<Record<string, Schema>> = {
  Role: {
    title: "Role",
    description: "What an employee may do. MANAGER may do what TECHNICIAN may, and ADMIN what MANAGER may.",
    ...readRole.schema,
  },
  LogStatus: {
    title: "LogStatus",
    description:
      "How far the work was when the log was written. A log never changes: a later status is another log, and no field links the two.",
    ...readStatus.schema,
  },
  TaskType: {
    title: "TaskType",
    description: "What kind of task the log is about.",
    ...readTaskType.schema,
  },
};

/** A schema as others hold it: by reference when it is a set of words that has a name. */
export function byReference(schema: Schema): Schema {
  const { type: _type, enum: words, ...rest } = schema;
  const named = Object.values(wordSchemas).find(each => each["enum"] === words);
  return words === undefined || named === undefined
    ? schema
    : { $ref: `#/components/schemas/${named["title"]}`, ...rest };
}

/** An object with just these properties, each of which is always there. */
const record = <T>(description: string, properties: Readonly<Record<keyof T, Schema>>, example: T) => ({
  type: "object",
  description,
  properties: Object.fromEntries(
    Object.entries<Schema>(properties).map(([name, schema]) => [name, byReference(schema)]),
  ),
  required: Object.keys(properties),
  examples: [example],
});

const text = (description: string) => ({ type: "string", description });
const anObject = { type: "object" };
const textOrNull = (description: string) => ({ type: ["string", "null"], description });
const count = (description: string) => ({ type: "integer", format: "int64", minimum: 0, description });

const employee: Employee = {
  id: 3,
  firstName: "Ada",
  lastName: "Byron",
  phone: "+45 12 34 56 78",
  email: "ada@example.com",
  role: "TECHNICIAN",
  active: true,
};

/** What the service sends, by name, with an example of each (specification, section 2). */
export const recordSchemas = {
  Employee: record<Records["Employee"]>(
    "An employee. Employees are deactivated, never deleted.",
    schemasOf(employeeProperties, {
      id: "The id of the employee.",
      active: "Whether the employee can log in. A new employee is active.",
    }),
    employee,
  ),
  Asset: record<Records["Asset"]>(
    "Something that is maintained. Assets are deactivated, never deleted.",
    schemasOf(assetProperties, {
      id: "The id of the asset.",
      active: "Whether the asset is in use.",
      lastLogDate: "`performedDate` of the asset's newest log; null without logs, and always null in lists.",
    }),
    {
      id: 7,
      name: "Pump 7",
      description: "Left of the door",
      active: true,
      lastLogDate: "2026-11-21T09:30:00",
    },
  ),
  MaintenanceLog: record<Records["MaintenanceLog"]>(
    "A maintenance log: who performed which work on which asset, and when. It is never changed and never removed.",
    schemasOf(logProperties, {
      id: "The id of the log.",
      assetId: "The id of the asset on which the work was performed.",
      assetName: "The name of the asset.",
      performedByEmployeeId: "The id of the employee who performed the work: the one who wrote the log.",
      performedByName: "First and last name of that employee as they are now, not as they were then.",
    }),
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
  LoginResult: record<Records["LoginResult"]>(
    "What a login gives.",
    {
      token: text("The bearer token for the `Authorization` header of further requests (a JWT)."),
      authUser: { $ref: "#/components/schemas/Employee", description: "The employee who logged in." },
    },
    { token: "eyJhbGciOiJIUzI1NiJ9.…", authUser: employee },
  ),
  TrailHead: record<Records["TrailHead"]>(
    "The newest checkpoint of the provable trail. `publicKey` and `checkpoint` are null where the trail is not signed.",
    {
      origin: textOrNull("The name of the trail and of its key."),
      publicKey: textOrNull(
        "The verifier key, as in C2SP signed-note. Compare it with the one that you got otherwise.",
      ),
      size: count("How many entries the checkpoint covers."),
      rootHash: text("The root hash of their Merkle tree (RFC 6962), in base64."),
      checkpoint: textOrNull("The signed note, as in C2SP tlog-checkpoint."),
    },
    {
      origin: "maintenance.example.com",
      publicKey: "maintenance.example.com+2b24ee05+AQ4f…",
      size: 2,
      rootHash: "+Fz7…",
      checkpoint: "maintenance.example.com\n2\n+Fz7…\n\n— maintenance.example.com KyTu…\n",
    },
  ),
  TrailEntry: record<Records["TrailEntry"]>(
    "An entry of the provable trail. The hash in the tree is that of its canonical bytes (RFC 8785).",
    {
      index: count("Its number, from 0 without a gap."),
      entry: {
        type: "object",
        description:
          "What was recorded: `kind` is log, employee or asset, and decides the other fields. That of a log has all fields of MaintenanceLog but `assetName`, and when it was recorded (`recordedAt`, UTC).",
        additionalProperties: true,
      },
    },
    {
      index: 0,
      entry: {
        active: true,
        changedBy: null,
        id: 1,
        kind: "employee",
        recordedAt: "2026-11-21T09:30:00.000000Z",
        role: "ADMIN",
      },
    },
  ),
  ErrorResponse: record(
    "The body of every error.",
    {
      status: { type: "integer", description: "The HTTP status of the response." },
      msg: text("What is wrong, in words for the developer of the client."),
    },
    { status: 400, msg: "First name is required" },
  ),
  Welcome: record<Records["Welcome"]>(
    "A welcome.",
    { message: text("The welcome in words.") },
    { message: "Welcome to the Maintenance Log Service" },
  ),
  RouteOverview: record<Records["RouteOverview"]>(
    "An endpoint and who may call it.",
    {
      method: text("The HTTP method."),
      path: text("The path, with `{id}` in place of an id."),
      roles: {
        type: "array",
        items: { type: "string" },
        description:
          "The role that is needed: an employee with this role or one above it may call the endpoint. AUTHENTICATED is any logged-in employee; no role means that no token is needed.",
      },
    },
    { method: "GET", path: "/", roles: ["AUTHENTICATED"] },
  ),
  OpenApiDocument: {
    type: "object",
    description: "An OpenAPI 3.1 document.",
    properties: {
      openapi: text("The version of the OpenAPI Specification."),
      info: { type: "object", description: "The API in words." },
      servers: { type: "array", items: anObject, description: "Where the paths begin." },
      security: {
        type: "array",
        items: anObject,
        description: "What every operation needs unless it says otherwise.",
      },
      tags: { type: "array", items: anObject, description: "The groups of operations." },
      paths: { type: "object", description: "The operations." },
      components: { type: "object", description: "What operations share." },
    },
    required: ["openapi", "info", "paths"],
    examples: [{ openapi: "3.1.0", info: {}, paths: {} }],
  },
} satisfies Record<RecordName | "ErrorResponse", Schema>;
