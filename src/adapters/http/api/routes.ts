import type { Authentication } from "../../../application/authentication.ts";
import type { Employees } from "../../../application/employees.ts";
import type { AssetRepository, MaintenanceLogRepository } from "../../../application/ports.ts";
import { activityFilterFields } from "../../../domain/activity.ts";
import { newAssetFields } from "../../../domain/asset.ts";
import {
  employeeChangeFields,
  loginFields,
  passwordChangeFields,
  registrationFields,
} from "../../../domain/employee.ts";
import { activeAssetsFields, newLogFields, readIdempotencyKey } from "../../../domain/maintenance-log.ts";
import { unlessMatched } from "./entity-tag.ts";
import { listOrPage, logQueryFields } from "./log-page.ts";
import { openApiOf } from "./openapi.ts";
import { guarded, json, list, noContent, open, type Route } from "./route.ts";
import { overviewOf } from "./routes-overview.ts";

/** Where there is nothing to decide, a route asks the repository itself. */
export interface UseCases {
  readonly authentication: Authentication;
  readonly employees: Employees;
  readonly assets: AssetRepository;
  readonly maintenanceLogs: MaintenanceLogRepository;
}

const linkToNextPage = { Link: '`<…>; rel="next"`, with `limit` while there are more logs' };

/** Every route there is, with the role it needs (specification, sections 4 and 5). */
export function makeRoutes({
  authentication,
  employees,
  assets,
  maintenanceLogs,
}: UseCases): readonly Route[] {
  const routes: readonly Route[] = [
    guarded({
      method: "GET",
      path: "/",
      role: "AUTHENTICATED",
      name: "welcome",
      summary: "A welcome",
      status: 200,
      answer: { one: "Welcome" },
      run: () => json({ message: "Welcome to the Maintenance Log Service" }),
    }),
    guarded({
      method: "GET",
      path: "/routes",
      role: "AUTHENTICATED",
      name: "listRoutes",
      summary: "The endpoints and the roles they require",
      status: 200,
      answer: { listOf: "RouteOverview" },
      answerHeaders: { Vary: "`Accept`: a client that prefers HTML gets a page" },
      isPageToo: true,
      run: ({ headers }) => overviewOf(routes, headers.accept),
    }),
    guarded({
      method: "GET",
      path: "/openapi.json",
      role: "AUTHENTICATED",
      name: "describeApi",
      summary: "The OpenAPI document of this service",
      status: 200,
      answer: { one: "OpenApiDocument" },
      run: () => json(openApiOf(routes)),
    }),

    open({
      method: "POST",
      path: "/api/v1/auth/login",
      role: "NONE",
      name: "logIn",
      summary: "Log in with email and password",
      status: 200,
      answer: { one: "LoginResult" },
      refusals: ["LOGIN_FAILED", "THROTTLED"],
      body: loginFields,
      example: { email: "ada@example.com", password: "correct horse" },
      run: async ({ body, address }) => json(await authentication.logIn(body, address)),
    }),
    guarded({
      method: "POST",
      path: "/api/v1/auth/register",
      role: "MANAGER",
      name: "registerEmployee",
      summary: "Create an employee, with a role up to one's own",
      status: 201,
      answer: { one: "Employee" },
      refusals: ["CONFLICT"],
      body: registrationFields,
      example: {
        firstName: "Ada",
        lastName: "Byron",
        email: "ada@example.com",
        password: "correct horse",
        phone: "+45 12 34 56 78",
        role: "TECHNICIAN",
      },
      run: async ({ caller, body }) => json(await employees.register(caller, body)),
    }),

    guarded({
      method: "GET",
      path: "/api/v1/employees",
      role: "AUTHENTICATED",
      name: "listEmployees",
      summary: "All employees",
      status: 200,
      answer: { listOf: "Employee" },
      query: activityFilterFields,
      run: ({ query }) => list(employees.list(query)),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/employees/me",
      role: "AUTHENTICATED",
      name: "getOwnEmployee",
      summary: "The caller's own employee",
      status: 200,
      answer: { one: "Employee" },
      run: async ({ caller }) => json(await employees.find(caller.employeeId)),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/employees/{id}",
      role: "AUTHENTICATED",
      name: "getEmployee",
      summary: "One employee",
      status: 200,
      answer: { one: "Employee" },
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => json(await employees.find(id)),
    }),
    guarded({
      method: "PUT",
      path: "/api/v1/employees/{id}",
      role: "MANAGER",
      name: "updateEmployee",
      summary: "Change an employee whose role is not above one's own",
      status: 200,
      answer: { one: "Employee" },
      refusals: ["NOT_FOUND", "CONFLICT"],
      body: employeeChangeFields,
      example: { phone: "+45 98 76 54 32", role: "MANAGER" },
      run: async ({ caller, id, body }) => json(await employees.update(caller, id, body)),
    }),
    guarded({
      method: "DELETE",
      path: "/api/v1/employees/{id}",
      role: "ADMIN",
      name: "deactivateEmployee",
      summary: "Deactivate an employee",
      status: 204,
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => {
        await employees.deactivate(id);
        return noContent;
      },
    }),
    guarded({
      method: "PATCH",
      path: "/api/v1/employees/{id}",
      role: "ADMIN",
      name: "reactivateEmployee",
      summary: "Reactivate an employee",
      status: 204,
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => {
        await employees.reactivate(id);
        return noContent;
      },
    }),
    guarded({
      method: "PATCH",
      path: "/api/v1/employees/{id}/password",
      role: "AUTHENTICATED",
      ownIdOnly: true,
      name: "changePassword",
      summary: "Change one's own password",
      status: 204,
      refusals: ["THROTTLED"],
      body: passwordChangeFields,
      example: { oldPassword: "correct horse", newPassword: "battery staple" },
      run: async ({ caller, body, address }) => {
        await employees.changePassword(caller, body, address);
        return noContent;
      },
    }),

    guarded({
      method: "GET",
      path: "/api/v1/assets",
      role: "AUTHENTICATED",
      name: "listAssets",
      summary: "All assets",
      status: 200,
      answer: { listOf: "Asset" },
      query: activityFilterFields,
      run: ({ query }) => list(assets.list(query)),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/assets/{id}",
      role: "AUTHENTICATED",
      name: "getAsset",
      summary: "One asset with the date of its newest log",
      status: 200,
      answer: { one: "Asset" },
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => json(await assets.find(id)),
    }),
    guarded({
      method: "POST",
      path: "/api/v1/assets",
      role: "MANAGER",
      name: "createAsset",
      summary: "Create an asset",
      status: 201,
      answer: { one: "Asset" },
      body: newAssetFields,
      example: { name: "Pump 7", description: "Left of the door" },
      run: async ({ body }) => json(await assets.insert(body)),
    }),
    guarded({
      method: "PATCH",
      path: "/api/v1/assets/{id}",
      role: "MANAGER",
      name: "activateAsset",
      summary: "Activate an asset",
      status: 204,
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => {
        await assets.setActive(id, true);
        return noContent;
      },
    }),
    guarded({
      method: "DELETE",
      path: "/api/v1/assets/{id}",
      role: "ADMIN",
      name: "deactivateAsset",
      summary: "Deactivate an asset",
      status: 204,
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => {
        await assets.setActive(id, false);
        return noContent;
      },
    }),
    guarded({
      method: "GET",
      path: "/api/v1/assets/{id}/logs",
      role: "AUTHENTICATED",
      name: "listAssetLogs",
      summary: "The logs of an asset, newest first",
      status: 200,
      answer: { listOf: "MaintenanceLog" },
      answerHeaders: linkToNextPage,
      refusals: ["NOT_FOUND"],
      query: logQueryFields,
      run: ({ id, query }) =>
        listOrPage(`/api/v1/assets/${id}/logs`, query, part => maintenanceLogs.listOfAsset(id, part)),
    }),
    guarded({
      method: "POST",
      path: "/api/v1/assets/{id}/logs",
      role: "TECHNICIAN",
      recordsCaller: true,
      name: "writeLog",
      summary: "Write a log on an asset, with the caller as its performer",
      status: 201,
      answer: { one: "MaintenanceLog" },
      answerHeaders: {
        "Idempotent-Replayed": "`true` when the log had been written before, under the same key",
      },
      refusals: ["UNAUTHENTICATED", "NOT_FOUND", "UNPROCESSABLE"],
      body: newLogFields,
      example: {
        performedDate: "2026-11-21T09:30",
        status: "COMPLETED",
        taskType: "MAINTENANCE",
        comment: "Oil changed",
      },
      requestHeaders: { "Idempotency-Key": readIdempotencyKey.schema },
      run: async ({ caller, id, body, headers }) => {
        const key = readIdempotencyKey(headers["idempotency-key"]);
        const { log, replayed } = await maintenanceLogs.append(id, caller, body, key);
        return json(log, replayed ? ["Idempotent-Replayed", "true"] : []);
      },
    }),

    guarded({
      method: "GET",
      path: "/api/v1/logs",
      role: "AUTHENTICATED",
      name: "listLogs",
      summary: "All logs, newest first",
      status: 200,
      answer: { listOf: "MaintenanceLog" },
      answerHeaders: linkToNextPage,
      query: logQueryFields,
      run: ({ query }) => listOrPage("/api/v1/logs", query, maintenanceLogs.list),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/logs/active-assets",
      role: "AUTHENTICATED",
      name: "listActiveAssetLogs",
      summary: "The newest logs of the assets that are active now",
      status: 200,
      answer: { listOf: "MaintenanceLog" },
      query: activeAssetsFields,
      run: ({ query: { limit, ...filter } }) => list(maintenanceLogs.listOfActiveAssets(limit, filter)),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/logs/{id}",
      role: "AUTHENTICATED",
      name: "getLog",
      summary: "One log",
      status: 200,
      answer: { one: "MaintenanceLog" },
      answerHeaders: { ETag: "Another one when anything of the answer is" },
      refusals: ["NOT_FOUND"],
      requestHeaders: { "If-None-Match": { type: "string", description: "Entity tags" } },
      run: async ({ id, headers }) => unlessMatched(headers["if-none-match"], await maintenanceLogs.find(id)),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/logs/employee/{id}",
      role: "MANAGER",
      name: "listEmployeeLogs",
      summary: "The logs of what one employee performed, newest first",
      status: 200,
      answer: { listOf: "MaintenanceLog" },
      answerHeaders: linkToNextPage,
      refusals: ["NOT_FOUND"],
      query: logQueryFields,
      run: ({ id, query }) =>
        listOrPage(`/api/v1/logs/employee/${id}`, query, part => maintenanceLogs.listOfPerformer(id, part)),
    }),
  ];
  return routes;
}
