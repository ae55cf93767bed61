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

const linkToNextPage = {
  Link: '`<…>; rel="next"`: the address of the next page. Only with `limit`, and only while there are more logs.',
};

/** What the lists of logs have in common that are complete unless they are asked for in pages. */
const allOrPages = {
  description: "Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.",
  answer: { listOf: "MaintenanceLog" },
  answerHeaders: linkToNextPage,
  query: logQueryFields,
} as const;

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
      name: "welcome",
      summary: "A welcome",
      description: "The cheapest way to find out whether a token is still valid.",
      answer: { one: "Welcome" },
      run: () => json({ message: "Welcome to the Maintenance Log Service" }),
    }),
    guarded("GET", "/routes", "AUTHENTICATED", {
      name: "listRoutes",
      summary: "The endpoints and the roles they require",
      description:
        "The same table that decides about access, as JSON, or as a page for a client whose `Accept` prefers `text/html`.",
      answer: { listOf: "RouteOverview" },
      answerHeaders: { Vary: "`Accept`: a client that prefers HTML gets a page." },
      isPageToo: true,
      run: ({ headers }) => overviewOf(routes, headers.accept),
    }),
    guarded("GET", "/openapi.json", "AUTHENTICATED", {
      name: "describeApi",
      summary: "The OpenAPI document of this service",
      description:
        "This document, from which clients can be generated. `node dist/main.js openapi` prints it too.",
      answer: { one: "OpenApiDocument" },
      run: async () => ({ body: await readOpenApi() }),
    }),

    open("POST", "/api/v1/auth/login", {
      name: "logIn",
      summary: "Log in with email and password",
      description:
        "The only operation that needs no token. The answer for an unknown email, a wrong password and an inactive employee is the same. Repeated failures are answered 429 for a while.",
      answer: { one: "LoginResult" },
      refusals: ["LOGIN_FAILED", "THROTTLED"],
      body: loginFields,
      bodyLimitBytes: credentialsLimitBytes,
      example: { email: "ada@example.com", password: "correct horse" },
      run: async ({ body, origin }) => json(await authentication.logIn(body, origin)),
    }),
    guarded("POST", "/api/v1/auth/register", "MANAGER", {
      name: "registerEmployee",
      summary: "Create an employee, with a role up to one's own",
      description:
        "The new employee is active and can log in at once. A role above the caller's own is refused with 403. When the answer was lost, send the request again: 409 then means that it was carried out.",
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
      run: async ({ caller, body, origin }) => json(await employees.register(caller, body, origin)),
    }),

    guarded("GET", "/api/v1/employees", "AUTHENTICATED", {
      name: "listEmployees",
      summary: "All employees",
      description: "By id, ascending.",
      answer: { listOf: "Employee" },
      query: activityFilterFields,
      run: ({ query }) => list(employees.list(query)),
    }),
    guarded("GET", "/api/v1/employees/me", "AUTHENTICATED", {
      name: "getOwnEmployee",
      summary: "The caller's own employee",
      description: "The employee to whom the token belongs, as stored now.",
      answer: { one: "Employee" },
      run: async ({ caller }) => json(await employees.find(caller.employeeId)),
    }),
    guarded("GET", "/api/v1/employees/{id}", "AUTHENTICATED", {
      name: "getEmployee",
      summary: "One employee",
      description: "Any employee may read any other; the password is never part of it.",
      answer: { one: "Employee" },
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => json(await employees.find(id)),
    }),
    guarded("PUT", "/api/v1/employees/{id}", "MANAGER", {
      name: "updateEmployee",
      summary: "Change an employee whose role is not above one's own",
      description:
        "A field that is absent stays as it is; null or blank text is refused. Another email or role makes the employee's tokens invalid at once. Neither the old nor the new role may be above the caller's own. `id`, `active` and `password` in the body are ignored.",
      answer: { one: "Employee" },
      refusals: ["NOT_FOUND", "CONFLICT"],
      body: employeeChangeFields,
      example: { phone: "+45 98 76 54 32", role: "MANAGER" },
      run: async ({ caller, id, body, origin }) => json(await employees.update(caller, id, body, origin)),
    }),
    guarded("DELETE", "/api/v1/employees/{id}", "ADMIN", {
      name: "deactivateEmployee",
      summary: "Deactivate an employee",
      description:
        "The employee can no longer log in, and the employee's tokens become invalid at once. Their logs stay. Deactivating again is 204 again.",
      refusals: ["NOT_FOUND"],
      run: ({ caller, id }) => employees.setActive(id, false, caller),
    }),
    guarded("PATCH", "/api/v1/employees/{id}", "ADMIN", {
      name: "reactivateEmployee",
      summary: "Reactivate an employee",
      description: "The employee can log in again. Reactivating again is 204 again.",
      refusals: ["NOT_FOUND"],
      run: ({ caller, id }) => employees.setActive(id, true, caller),
    }),
    guarded("PATCH", "/api/v1/employees/{id}/password", "AUTHENTICATED", {
      ownIdOnly: true,
      name: "changePassword",
      summary: "Change one's own password",
      description:
        "Any other id than the caller's own is 403. All other tokens of the employee become invalid; the one that made the change stays valid. Wrong old passwords count as failed logins. When the answer was lost, log in with the new password to find out whether the change was made.",
      refusals: ["THROTTLED"],
      body: passwordChangeFields,
      bodyLimitBytes: credentialsLimitBytes,
      example: { oldPassword: "correct horse", newPassword: "battery staple" },
      run: ({ caller, body, origin }) => employees.changePassword(caller, body, origin),
    }),

    guarded("GET", "/api/v1/assets", "AUTHENTICATED", {
      name: "listAssets",
      summary: "All assets",
      description: "By id, ascending. `lastLogDate` is null in lists; read the single asset for it.",
      answer: { listOf: "Asset" },
      query: activityFilterFields,
      run: ({ query }) => list(assets.list(query)),
    }),
    guarded("GET", "/api/v1/assets/{id}", "AUTHENTICATED", {
      name: "getAsset",
      summary: "One asset with the date of its newest log",
      description: "`lastLogDate` is the `performedDate` of the newest log on the asset.",
      answer: { one: "Asset" },
      refusals: ["NOT_FOUND"],
      run: async ({ id }) => json(await assets.find(id)),
    }),
    guarded("POST", "/api/v1/assets", "MANAGER", {
      name: "createAsset",
      summary: "Create an asset",
      description:
        "Names need not be unique, so repeating the request creates another asset: when the answer was lost, look for the asset in the list first.",
      status: 201,
      answer: { one: "Asset" },
      body: newAssetFields,
      example: { name: "Pump 7", description: "Left of the door" },
      run: async ({ caller, body }) => json(await assets.insert(body, caller)),
    }),
    guarded("PATCH", "/api/v1/assets/{id}", "MANAGER", {
      name: "activateAsset",
      summary: "Activate an asset",
      description: "Activating again is 204 again.",
      refusals: ["NOT_FOUND"],
      run: ({ caller, id }) => assets.setActive(id, true, caller),
    }),
    guarded("DELETE", "/api/v1/assets/{id}", "ADMIN", {
      name: "deactivateAsset",
      summary: "Deactivate an asset",
      description:
        "The asset and its logs stay readable, and logs can still be written on it. Deactivating again is 204 again.",
      refusals: ["NOT_FOUND"],
      run: ({ caller, id }) => assets.setActive(id, false, caller),
    }),
    guarded("GET", "/api/v1/assets/{id}/logs", "AUTHENTICATED", {
      name: "listAssetLogs",
      summary: "The logs of an asset, newest first",
      ...allOrPages,
      refusals: ["NOT_FOUND"],
      run: ({ id, query }) =>
        listOrPage(`/api/v1/assets/${id}/logs`, query, part => maintenanceLogs.listOfAsset(id, part)),
    }),
    guarded("POST", "/api/v1/assets/{id}/logs", "TECHNICIAN", {
      recordsCaller: true,
      name: "writeLog",
      summary: "Write a log on an asset, with the caller as its performer",
      description:
        "The caller is the performer; the body cannot name another. A log can be written on an inactive asset, and is never changed or removed afterwards. Send an `Idempotency-Key`, so that the request can be repeated without writing a second log.",
      status: 201,
      answer: { one: "MaintenanceLog" },
      answerHeaders: {
        "Idempotent-Replayed": "`true` when the log had been written before, under the same key.",
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

    guarded("GET", "/api/v1/logs", "AUTHENTICATED", {
      name: "listLogs",
      summary: "All logs, newest first",
      ...allOrPages,
      run: ({ query }) => listOrPage("/api/v1/logs", query, maintenanceLogs.list),
    }),
    guarded("GET", "/api/v1/logs/active-assets", "AUTHENTICATED", {
      name: "listActiveAssetLogs",
      summary: "The newest logs of the assets that are active now",
      description:
        "Newest first. An asset's activity counts as it is now, not as it was when the log was written.",
      answer: { listOf: "MaintenanceLog" },
      answerHeaders: linkToNextPage,
      query: { ...logQueryFields, ...activeAssetsFields },
      run: ({ query }) => listOrPage("/api/v1/logs/active-assets", query, maintenanceLogs.listOfActiveAssets),
    }),
    guarded("GET", "/api/v1/logs/{id}", "AUTHENTICATED", {
      name: "getLog",
      summary: "One log",
      description:
        "A log never changes, but the names of its asset and performer may. Send the answer's `ETag` back in `If-None-Match` to read it again only if something is different.",
      answer: { one: "MaintenanceLog" },
      answerHeaders: { ETag: "The entity tag of this answer: another one when anything in it is different." },
      refusals: ["NOT_FOUND"],
      requestHeaders: {
        "If-None-Match": {
          type: "string",
          description:
            "The `ETag` of an earlier answer, or several: if it still matches the answer is 304 without a body.",
        },
      },
      run: async ({ id, headers }) => unlessMatched(headers["if-none-match"], await maintenanceLogs.find(id)),
    }),
    guarded("GET", "/api/v1/logs/employee/{id}", "MANAGER", {
      name: "listEmployeeLogs",
      summary: "The logs of what one employee performed, newest first",
      ...allOrPages,
      refusals: ["NOT_FOUND"],
      run: ({ id, query }) =>
        listOrPage(`/api/v1/logs/employee/${id}`, query, part => maintenanceLogs.listOfPerformer(id, part)),
    }),
    ...makeTrailRoutes(trail),
  ];
  return routes;
}
