import type { Assets } from "../../../application/assets.ts";
import type { Authentication } from "../../../application/authentication.ts";
import type { Employees } from "../../../application/employees.ts";
import type { MaintenanceLogs } from "../../../application/maintenance-logs.ts";
import type { PublishedTrail } from "../../../application/trail/publishing.ts";
import { activityFilterFields } from "../../../domain/activity.ts";
import { newAssetFields } from "../../../domain/asset.ts";
import {
  employeeChangeFields,
  loginFields,
  passwordChangeFields,
  registrationFields,
} from "../../../domain/employee.ts";
import { activeAssetsFields, newLogFields, writeLogHeaders } from "../../../domain/maintenance-log.ts";
import { expectationOf, tagged, unlessMatched } from "./entity-tag.ts";
import { listOrPage, logQueryFields, refusedInPages, unfilteredFields } from "./log-page.ts";
import { readOpenApi } from "./openapi.ts";
import { guarded, json, list, open, type Route, rolesOf } from "./route.ts";
import { makeTrailRoutes } from "./trail-routes.ts";

export interface UseCases {
  readonly authentication: Authentication;
  readonly employees: Employees;
  readonly assets: Assets;
  readonly maintenanceLogs: MaintenanceLogs;
  readonly trail: PublishedTrail;
}

/** The longest email and password take half of it, with each character as an escape. */
const credentialsLimitBytes = 4 * 1024;

/** Every route, with the role that it needs. */
export function makeRoutes({
  authentication,
  employees,
  assets,
  maintenanceLogs,
  trail,
}: UseCases): readonly Route[] {
  // Read now: the file of a package that replaces this one would describe another version.
  const document = readOpenApi();
  // Without the file, only the requests for it fail.
  document.catch(() => {});
  const routes: readonly Route[] = [
    guarded("GET", "/", "AUTHENTICATED", {
      summary: "A welcome",
      run: () => json({ message: "Welcome to the Maintenance Log Service" }),
    }),
    guarded("GET", "/routes", "AUTHENTICATED", {
      summary: "The endpoints and the roles they require",
      run: () => json(routes.map(({ method, path, role }) => ({ method, path, roles: rolesOf(role) }))),
    }),
    guarded("GET", "/openapi.json", "AUTHENTICATED", {
      summary: "The OpenAPI document of this service",
      run: async () => ({ body: await document }),
    }),

    open("POST", "/api/v1/auth/login", {
      summary: "Log in with email and password",
      body: loginFields,
      bodyLimitBytes: credentialsLimitBytes,
      run: async ({ body, origin }) => json(await authentication.logIn(body, origin)),
    }),
    guarded("POST", "/api/v1/auth/register", "MANAGER", {
      summary: "Create an employee, with a role up to one's own",
      status: 201,
      body: registrationFields,
      run: async ({ caller, body, origin }) => {
        const employee = await employees.register(caller, body, origin);
        return tagged(employee, { Location: `../employees/${employee.id}` });
      },
    }),

    guarded("GET", "/api/v1/employees", "AUTHENTICATED", {
      summary: "All employees",
      query: activityFilterFields,
      run: ({ query }) => list(employees.list(query)),
    }),
    guarded("GET", "/api/v1/employees/me", "AUTHENTICATED", {
      summary: "The caller's own employee",
      hasEntityTag: true,
      run: async ({ caller, preconditions }) =>
        unlessMatched(preconditions, await employees.find(caller.employeeId)),
    }),
    guarded("GET", "/api/v1/employees/{id}", "AUTHENTICATED", {
      summary: "One employee",
      hasEntityTag: true,
      run: async ({ id, preconditions }) => unlessMatched(preconditions, await employees.find(id)),
    }),
    guarded("PUT", "/api/v1/employees/{id}", "MANAGER", {
      summary: "Change an employee whose role is not above one's own",
      hasEntityTag: true,
      body: employeeChangeFields,
      run: async ({ caller, id, preconditions, body, origin }) =>
        tagged(await employees.update(caller, id, body, origin, expectationOf(preconditions))),
    }),
    guarded("DELETE", "/api/v1/employees/{id}", "ADMIN", {
      summary: "Deactivate an employee",
      status: 204,
      hasEntityTag: true,
      run: ({ caller, id, preconditions }) => employees.deactivate(caller, id, expectationOf(preconditions)),
    }),
    guarded("PATCH", "/api/v1/employees/{id}", "ADMIN", {
      summary: "Reactivate an employee",
      status: 204,
      hasEntityTag: true,
      run: ({ caller, id, preconditions }) => employees.reactivate(caller, id, expectationOf(preconditions)),
    }),
    guarded("PATCH", "/api/v1/employees/{id}/password", "AUTHENTICATED", {
      ownIdOnly: true,
      summary: "Change one's own password",
      status: 204,
      body: passwordChangeFields,
      bodyLimitBytes: credentialsLimitBytes,
      run: ({ caller, body, origin }) => employees.changePassword(caller, body, origin),
    }),

    guarded("GET", "/api/v1/assets", "AUTHENTICATED", {
      summary: "All assets",
      query: activityFilterFields,
      run: ({ query }) => list(assets.list(query)),
    }),
    guarded("GET", "/api/v1/assets/{id}", "AUTHENTICATED", {
      summary: "One asset with the date of its newest log",
      run: async ({ id }) => json(await assets.find(id)),
    }),
    guarded("POST", "/api/v1/assets", "MANAGER", {
      summary: "Create an asset",
      status: 201,
      body: newAssetFields,
      run: async ({ caller, body }) => {
        const asset = await assets.create(caller, body);
        return json(asset, { Location: `assets/${asset.id}` });
      },
    }),
    guarded("PATCH", "/api/v1/assets/{id}", "MANAGER", {
      summary: "Activate an asset",
      status: 204,
      run: ({ caller, id }) => assets.activate(caller, id),
    }),
    guarded("DELETE", "/api/v1/assets/{id}", "ADMIN", {
      summary: "Deactivate an asset",
      status: 204,
      run: ({ caller, id }) => assets.deactivate(caller, id),
    }),
    guarded("GET", "/api/v1/assets/{id}/logs", "AUTHENTICATED", {
      summary: "The logs of an asset, newest first",
      query: logQueryFields,
      refusedQuery: refusedInPages,
      run: ({ id, query }) => listOrPage("logs", query, maintenanceLogs.listOfAsset(id, query)),
    }),
    guarded("POST", "/api/v1/assets/{id}/logs", "TECHNICIAN", {
      recordsCaller: true,
      summary: "Write a log on an asset, with the caller as its performer",
      status: 201,
      headers: writeLogHeaders,
      body: newLogFields,
      run: async ({ caller, id, body, headers }) => {
        const { log, isReplay } = await maintenanceLogs.write(caller, id, body, headers["Idempotency-Key"]);
        const place = { Location: `../../logs/${log.id}` };
        return json(log, isReplay ? { ...place, "Idempotent-Replayed": "true" } : place);
      },
    }),

    guarded("GET", "/api/v1/logs", "AUTHENTICATED", {
      summary: "All logs, newest first",
      query: logQueryFields,
      refusedQuery: refusedInPages,
      run: ({ query }) => listOrPage("logs", query, maintenanceLogs.list(query)),
    }),
    guarded("GET", "/api/v1/logs/active-assets", "AUTHENTICATED", {
      summary: "The newest logs of the assets that are active now",
      query: activeAssetsFields,
      refusedQuery: unfilteredFields,
      run: ({ query: { limit, ...filter } }) => list(maintenanceLogs.listOfActiveAssets(filter, limit)),
    }),
    guarded("GET", "/api/v1/logs/{id}", "AUTHENTICATED", {
      summary: "One log",
      hasEntityTag: true,
      run: async ({ id, preconditions }) => unlessMatched(preconditions, await maintenanceLogs.find(id)),
    }),
    guarded("GET", "/api/v1/logs/employee/{id}", "MANAGER", {
      summary: "The logs of what one employee performed, newest first",
      query: logQueryFields,
      refusedQuery: refusedInPages,
      run: ({ id, query }) => listOrPage(id, query, maintenanceLogs.listOfPerformer(id, query)),
    }),
    ...makeTrailRoutes(trail),
  ];
  return routes;
}
