import type { Assets } from "../../application/assets.ts";
import type { Authentication } from "../../application/authentication.ts";
import type { Employees } from "../../application/employees.ts";
import type { MaintenanceLogs } from "../../application/maintenance-logs.ts";
import { activityFilterFields } from "../../domain/activity.ts";
import { newAssetFields } from "../../domain/asset.ts";
import {
  employeeChangeFields,
  loginFields,
  passwordChangeFields,
  registrationFields,
} from "../../domain/employee.ts";
import { activeAssetsFields, newLogFields, readIdempotencyKey } from "../../domain/maintenance-log.ts";
import { unlessMatched } from "./entity-tag.ts";
import { listOrPage, logPartFields } from "./log-page.ts";
import { ContentWithHeaders, guarded, open, type Route } from "./route.ts";
import { overviewOf } from "./routes-overview.ts";

export interface UseCases {
  readonly authentication: Authentication;
  readonly employees: Employees;
  readonly assets: Assets;
  readonly maintenanceLogs: MaintenanceLogs;
}

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
      summary: "A welcome",
      status: 200,
      run: () => ({ message: "Welcome to the Maintenance Log Service" }),
    }),
    guarded({
      method: "GET",
      path: "/routes",
      role: "AUTHENTICATED",
      summary: "The endpoints and the roles they require",
      status: 200,
      run: ({ headers }) => overviewOf(routes, headers.accept),
    }),

    open({
      method: "POST",
      path: "/api/v1/auth/login",
      role: "NONE",
      summary: "Log in with email and password",
      status: 200,
      body: loginFields,
      run: ({ body, address }) => authentication.logIn(body, address),
    }),
    guarded({
      method: "POST",
      path: "/api/v1/auth/register",
      role: "MANAGER",
      summary: "Create an employee, with a role up to one's own",
      status: 201,
      body: registrationFields,
      run: ({ caller, body }) => employees.register(caller, body),
    }),

    guarded({
      method: "GET",
      path: "/api/v1/employees",
      role: "AUTHENTICATED",
      summary: "All employees",
      status: 200,
      query: activityFilterFields,
      run: ({ query }) => employees.list(query),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/employees/me",
      role: "AUTHENTICATED",
      summary: "The caller's own employee",
      status: 200,
      run: ({ caller }) => employees.find(caller.employeeId),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/employees/{id}",
      role: "AUTHENTICATED",
      summary: "One employee",
      status: 200,
      run: ({ id }) => employees.find(id),
    }),
    guarded({
      method: "PUT",
      path: "/api/v1/employees/{id}",
      role: "MANAGER",
      summary: "Change an employee whose role is not above one's own",
      status: 200,
      body: employeeChangeFields,
      run: ({ caller, id, body }) => employees.update(caller, id, body),
    }),
    guarded({
      method: "DELETE",
      path: "/api/v1/employees/{id}",
      role: "ADMIN",
      summary: "Deactivate an employee",
      status: 204,
      run: ({ id }) => employees.deactivate(id),
    }),
    guarded({
      method: "PATCH",
      path: "/api/v1/employees/{id}",
      role: "ADMIN",
      summary: "Reactivate an employee",
      status: 204,
      run: ({ id }) => employees.reactivate(id),
    }),
    guarded({
      method: "PATCH",
      path: "/api/v1/employees/{id}/password",
      role: "AUTHENTICATED",
      ownIdOnly: true,
      summary: "Change one's own password",
      status: 204,
      body: passwordChangeFields,
      run: ({ caller, body }) => employees.changePassword(caller, body),
    }),

    guarded({
      method: "GET",
      path: "/api/v1/assets",
      role: "AUTHENTICATED",
      summary: "All assets",
      status: 200,
      query: activityFilterFields,
      run: ({ query }) => assets.list(query),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/assets/{id}",
      role: "AUTHENTICATED",
      summary: "One asset with the date of its newest log",
      status: 200,
      run: ({ id }) => assets.find(id),
    }),
    guarded({
      method: "POST",
      path: "/api/v1/assets",
      role: "MANAGER",
      summary: "Create an asset",
      status: 201,
      body: newAssetFields,
      run: ({ body }) => assets.create(body),
    }),
    guarded({
      method: "PATCH",
      path: "/api/v1/assets/{id}",
      role: "MANAGER",
      summary: "Activate an asset",
      status: 204,
      run: ({ id }) => assets.activate(id),
    }),
    guarded({
      method: "DELETE",
      path: "/api/v1/assets/{id}",
      role: "ADMIN",
      summary: "Deactivate an asset",
      status: 204,
      run: ({ id }) => assets.deactivate(id),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/assets/{id}/logs",
      role: "AUTHENTICATED",
      summary: "The logs of an asset, newest first",
      status: 200,
      query: logPartFields,
      run: ({ id, query }) =>
        listOrPage(`/api/v1/assets/${id}/logs`, query, part => maintenanceLogs.listOfAsset(id, part)),
    }),
    guarded({
      method: "POST",
      path: "/api/v1/assets/{id}/logs",
      role: "TECHNICIAN",
      recordsCaller: true,
      summary: "Write a log on an asset, with the caller as its performer",
      status: 201,
      body: newLogFields,
      run: async ({ caller, id, body, headers }) => {
        const key = readIdempotencyKey(headers["idempotency-key"]);
        const { log, replayed } = await maintenanceLogs.write(caller, id, body, key);
        return replayed ? new ContentWithHeaders(log, ["Idempotent-Replayed", "true"]) : log;
      },
    }),

    guarded({
      method: "GET",
      path: "/api/v1/logs",
      role: "AUTHENTICATED",
      summary: "All logs, newest first",
      status: 200,
      query: logPartFields,
      run: ({ query }) => listOrPage("/api/v1/logs", query, maintenanceLogs.list),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/logs/active-assets",
      role: "AUTHENTICATED",
      summary: "The newest logs of the assets that are active now",
      status: 200,
      query: activeAssetsFields,
      run: ({ query: { limit, ...filter } }) => maintenanceLogs.listOfActiveAssets(limit, filter),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/logs/{id}",
      role: "AUTHENTICATED",
      summary: "One log",
      status: 200,
      run: async ({ id, headers }) => unlessMatched(headers["if-none-match"], await maintenanceLogs.find(id)),
    }),
    guarded({
      method: "GET",
      path: "/api/v1/logs/employee/{id}",
      role: "MANAGER",
      summary: "The logs of what one employee performed, newest first",
      status: 200,
      query: logPartFields,
      run: ({ id, query }) =>
        listOrPage(`/api/v1/logs/employee/${id}`, query, part => maintenanceLogs.listOfPerformer(id, part)),
    }),
  ];
  return routes;
}
