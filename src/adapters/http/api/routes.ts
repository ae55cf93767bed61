import type { Authentication } from "../../../application/authentication.ts";
import type { Employees } from "../../../application/employees.ts";
import type { AssetRepository, MaintenanceLogRepository } from "../../../application/ports.ts";
import type { TrailReader } from "../../../application/trail/reader.ts";
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
import { readOpenApi } from "./openapi.ts";
import { guarded, json, list, open, type Route } from "./route.ts";
import { overviewOf } from "./routes-overview.ts";
import { makeTrailRoutes } from "./trail-routes.ts";

/** Where there is nothing to decide, a route asks the repository itself. */
export interface UseCases {
  readonly authentication: Authentication;
  readonly employees: Employees;
  readonly assets: AssetRepository;
  readonly maintenanceLogs: MaintenanceLogRepository;
  readonly trail: TrailReader;
}

/** The longest email and password take half of it, with each character as an escape. */
const credentialsLimitBytes = 4 * 1024;

/** Every route there is, with the role it needs (specification, sections 4 and 5). */
export function makeRoutes({
  authentication,
  employees,
  assets,
  maintenanceLogs,
  trail,
}: UseCases): readonly Route[] {
  const routes: readonly Route[] = [
    guarded("GET", "/", "AUTHENTICATED", {
      summary: "A welcome",
      run: () => json({ message: "Welcome to the Maintenance Log Service" }),
    }),
    guarded("GET", "/routes", "AUTHENTICATED", {
      summary: "The endpoints and the roles they require",
      run: ({ headers }) => overviewOf(routes, headers.accept),
    }),
    guarded("GET", "/openapi.json", "AUTHENTICATED", {
      summary: "The OpenAPI document of this service",
      run: async () => ({ body: await readOpenApi() }),
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
      run: async ({ caller, body, origin }) => json(await employees.register(caller, body, origin)),
    }),

    guarded("GET", "/api/v1/employees", "AUTHENTICATED", {
      summary: "All employees",
      query: activityFilterFields,
      run: ({ query }) => list(employees.list(query)),
    }),
    guarded("GET", "/api/v1/employees/me", "AUTHENTICATED", {
      summary: "The caller's own employee",
      run: async ({ caller }) => json(await employees.find(caller.employeeId)),
    }),
    guarded("GET", "/api/v1/employees/{id}", "AUTHENTICATED", {
      summary: "One employee",
      run: async ({ id }) => json(await employees.find(id)),
    }),
    guarded("PUT", "/api/v1/employees/{id}", "MANAGER", {
      summary: "Change an employee whose role is not above one's own",
      body: employeeChangeFields,
      run: async ({ caller, id, body, origin }) => json(await employees.update(caller, id, body, origin)),
    }),
    guarded("DELETE", "/api/v1/employees/{id}", "ADMIN", {
      summary: "Deactivate an employee",
      status: 204,
      run: ({ caller, id }) => employees.setActive(id, false, caller),
    }),
    guarded("PATCH", "/api/v1/employees/{id}", "ADMIN", {
      summary: "Reactivate an employee",
      status: 204,
      run: ({ caller, id }) => employees.setActive(id, true, caller),
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
      run: async ({ caller, body }) => json(await assets.insert(body, caller)),
    }),
    guarded("PATCH", "/api/v1/assets/{id}", "MANAGER", {
      summary: "Activate an asset",
      status: 204,
      run: ({ caller, id }) => assets.setActive(id, true, caller),
    }),
    guarded("DELETE", "/api/v1/assets/{id}", "ADMIN", {
      summary: "Deactivate an asset",
      status: 204,
      run: ({ caller, id }) => assets.setActive(id, false, caller),
    }),
    guarded("GET", "/api/v1/assets/{id}/logs", "AUTHENTICATED", {
      summary: "The logs of an asset, newest first",
      query: logQueryFields,
      run: ({ id, query }) =>
        listOrPage(`/api/v1/assets/${id}/logs`, query, part => maintenanceLogs.listOfAsset(id, part)),
    }),
    guarded("POST", "/api/v1/assets/{id}/logs", "TECHNICIAN", {
      recordsCaller: true,
      summary: "Write a log on an asset, with the caller as its performer",
      status: 201,
      body: newLogFields,
      run: async ({ caller, id, body, headers }) => {
        const key = readIdempotencyKey(headers["idempotency-key"]);
        const { log, replayed } = await maintenanceLogs.append(id, caller, body, key);
        return json(log, replayed ? ["Idempotent-Replayed", "true"] : []);
      },
    }),

    guarded("GET", "/api/v1/logs", "AUTHENTICATED", {
      summary: "All logs, newest first",
      query: logQueryFields,
      run: ({ query }) => listOrPage("/api/v1/logs", query, maintenanceLogs.list),
    }),
    guarded("GET", "/api/v1/logs/active-assets", "AUTHENTICATED", {
      summary: "The newest logs of the assets that are active now",
      query: { ...logQueryFields, ...activeAssetsFields },
      run: ({ query }) => listOrPage("/api/v1/logs/active-assets", query, maintenanceLogs.listOfActiveAssets),
    }),
    guarded("GET", "/api/v1/logs/{id}", "AUTHENTICATED", {
      summary: "One log",
      run: async ({ id, headers }) => unlessMatched(headers["if-none-match"], await maintenanceLogs.find(id)),
    }),
    guarded("GET", "/api/v1/logs/employee/{id}", "MANAGER", {
      summary: "The logs of what one employee performed, newest first",
      query: logQueryFields,
      run: ({ id, query }) =>
        listOrPage(`/api/v1/logs/employee/${id}`, query, part => maintenanceLogs.listOfPerformer(id, part)),
    }),
    ...makeTrailRoutes(trail),
  ];
  return routes;
}
