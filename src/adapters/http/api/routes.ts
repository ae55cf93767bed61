import type { Authentication } from "../../../application/authentication.ts";
import type { Employees } from "../../../application/employees.ts";
import type { MaintenanceLogs } from "../../../application/maintenance-logs.ts";
import type { AssetRepository } from "../../../application/ports.ts";
import { type PublishedTrail, placeLength } from "../../../application/trail/publishing.ts";
import { activityFilterFields } from "../../../domain/activity.ts";
import { newAssetFields } from "../../../domain/asset.ts";
import {
  employeeChangeFields,
  loginFields,
  passwordChangeFields,
  registrationFields,
} from "../../../domain/employee.ts";
import { invalid } from "../../../domain/error.ts";
import { optional, rule } from "../../../domain/field.ts";
import {
  activeAssetsFields,
  newLogFields,
  readLimit,
  writeLogHeaders,
} from "../../../domain/maintenance-log.ts";
import { expectationOf, tagged, unlessMatched } from "./entity-tag.ts";
import { listOrPage, logQueryFields, refusedInPages } from "./log-page.ts";
import { readOpenApi } from "./openapi.ts";
import { bytes, guarded, json, type KeyOf, list, open, plainText, rolesOf } from "./route.ts";
import * as unfiltered from "./unfiltered-fields.ts";

export interface UseCases {
  readonly authentication: Authentication;
  readonly employees: Employees;
  readonly assets: AssetRepository;
  readonly maintenanceLogs: MaintenanceLogs;
  readonly trail: PublishedTrail;
}

/** The longest email and password take half of it, with each character as an escape. */
const credentialsLimitBytes = 4 * 1024;

const trailPath = "/api/v1/trail";

const readFrom = rule({ type: "integer", minimum: 0 }, (value): number => {
  const from = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : -1;
  if (from < 0) throw invalid("Invalid from value");
  return from;
});

const readAfter = rule({ type: "string", pattern: `^[0-9a-f]{${placeLength}}$` }, (value): string => {
  if (typeof value !== "string" || !/^[0-9a-f]+$/.test(value) || value.length !== placeLength)
    throw invalid("Invalid after value");
  return value;
});

export const entriesFields = {
  from: optional(readFrom, 0),
  after: optional(readAfter, undefined),
  limit: optional(readLimit, 100),
};

/** Every route, with the role that it needs. `trail` is undefined where routes are described and never run. */
export function makeRoutes({ authentication, employees, assets, maintenanceLogs, trail }: UseCases) {
  // Read now: the file of a package that replaces this one would describe another version.
  const document = readOpenApi();
  // Without the file, only the requests for it fail.
  document.catch(() => {});
  const overview = (): object[] =>
    routes.map(({ method, path, role }) => ({ method, path, roles: rolesOf(role) }));
  const routes = [
    guarded("GET", "/", "AUTHENTICATED", {
      run: () => json({ message: "Welcome to the Maintenance Log Service" }),
    }),
    guarded("GET", "/routes", "AUTHENTICATED", {
      run: () => json(overview()),
    }),
    guarded("GET", "/openapi.json", "AUTHENTICATED", {
      run: async () => ({ body: await document }),
    }),

    open("POST", "/api/v1/auth/login", {
      body: loginFields,
      bodyLimitBytes: credentialsLimitBytes,
      run: async ({ body, context }) => json(await authentication.logIn(body, context)),
    }),
    guarded("POST", "/api/v1/auth/register", "MANAGER", {
      status: 201,
      body: registrationFields,
      run: async ({ caller, body, context }) => {
        const employee = await employees.register(caller, body, context);
        return tagged(employee, { Location: `../employees/${employee.id}` });
      },
    }),

    guarded("GET", "/api/v1/employees", "AUTHENTICATED", {
      query: activityFilterFields,
      refusedQuery: unfiltered.ofEmployees,
      run: ({ query }) => list(employees.list(query)),
    }),
    guarded("GET", "/api/v1/employees/me", "AUTHENTICATED", {
      hasEntityTag: true,
      run: async ({ caller, preconditions }) =>
        unlessMatched(preconditions, await employees.find(caller.employeeId)),
    }),
    guarded("GET", "/api/v1/employees/{id}", "AUTHENTICATED", {
      hasEntityTag: true,
      run: async ({ id, preconditions }) => unlessMatched(preconditions, await employees.find(id)),
    }),
    guarded("PUT", "/api/v1/employees/{id}", "MANAGER", {
      hasEntityTag: true,
      body: employeeChangeFields,
      run: async ({ caller, id, preconditions, body, context }) =>
        tagged(await employees.update(caller, id, body, context, expectationOf(preconditions))),
    }),
    guarded("DELETE", "/api/v1/employees/{id}", "ADMIN", {
      status: 204,
      hasEntityTag: true,
      run: ({ caller, id, preconditions }) =>
        employees.setActive(caller, id, false, expectationOf(preconditions)),
    }),
    guarded("PATCH", "/api/v1/employees/{id}", "ADMIN", {
      status: 204,
      hasEntityTag: true,
      run: ({ caller, id, preconditions }) =>
        employees.setActive(caller, id, true, expectationOf(preconditions)),
    }),
    guarded("PATCH", "/api/v1/employees/{id}/password", "AUTHENTICATED", {
      ownIdOnly: true,
      status: 204,
      body: passwordChangeFields,
      bodyLimitBytes: credentialsLimitBytes,
      run: ({ caller, body, context }) => employees.changePassword(caller, body, context),
    }),

    guarded("GET", "/api/v1/assets", "AUTHENTICATED", {
      query: activityFilterFields,
      refusedQuery: unfiltered.ofAssets,
      run: ({ query }) => list(assets.list(query)),
    }),
    guarded("GET", "/api/v1/assets/{id}", "AUTHENTICATED", {
      run: async ({ id }) => json(await assets.find(id)),
    }),
    guarded("POST", "/api/v1/assets", "MANAGER", {
      status: 201,
      body: newAssetFields,
      run: async ({ caller, body }) => {
        const asset = await assets.insert(body, caller);
        return json(asset, { Location: `assets/${asset.id}` });
      },
    }),
    guarded("PATCH", "/api/v1/assets/{id}", "MANAGER", {
      status: 204,
      run: ({ caller, id }) => assets.setActive(id, true, caller),
    }),
    guarded("DELETE", "/api/v1/assets/{id}", "ADMIN", {
      status: 204,
      run: ({ caller, id }) => assets.setActive(id, false, caller),
    }),
    guarded("GET", "/api/v1/assets/{id}/logs", "AUTHENTICATED", {
      query: logQueryFields,
      refusedQuery: refusedInPages,
      run: ({ id, query }) => listOrPage("logs", query, maintenanceLogs.listOfAsset(id, query)),
    }),
    guarded("POST", "/api/v1/assets/{id}/logs", "TECHNICIAN", {
      recordsCaller: true,
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
      query: logQueryFields,
      refusedQuery: refusedInPages,
      run: ({ query }) => listOrPage("logs", query, maintenanceLogs.list(query)),
    }),
    guarded("GET", "/api/v1/logs/active-assets", "AUTHENTICATED", {
      query: activeAssetsFields,
      refusedQuery: unfiltered.ofLogs,
      run: ({ query: { limit, ...filter } }) => list(maintenanceLogs.listOfActiveAssets(filter, limit)),
    }),
    guarded("GET", "/api/v1/logs/{id}", "AUTHENTICATED", {
      hasEntityTag: true,
      run: async ({ id, preconditions }) => unlessMatched(preconditions, await maintenanceLogs.find(id)),
    }),
    guarded("GET", "/api/v1/logs/employee/{id}", "MANAGER", {
      query: logQueryFields,
      refusedQuery: refusedInPages,
      run: ({ id, query }) => listOrPage(id, query, maintenanceLogs.listOfPerformer(id, query)),
    }),

    // The provable trail.
    guarded("GET", trailPath, "AUTHENTICATED", {
      run: async () => {
        const { head, condition } = await trail.head();
        return json(head, { "Trail-Condition": condition });
      },
    }),
    guarded("GET", `${trailPath}/checkpoint`, "AUTHENTICATED", {
      run: async () => {
        const { checkpoint, condition } = await trail.checkpoint();
        return plainText(checkpoint, { "Trail-Condition": condition });
      },
    }),
    guarded("GET", `${trailPath}/tile/{path}`, "AUTHENTICATED", {
      run: async ({ path }) => bytes(await trail.tile(path)),
    }),
    guarded("GET", `${trailPath}/entries`, "AUTHENTICATED", {
      query: entriesFields,
      run: async ({ query: { from, limit, after } }) => {
        const { list: entries, next, condition } = await trail.entries(from, limit, after);
        const place = next.after === undefined ? "" : `&after=${next.after}`;
        return list(entries, {
          Link: `<entries?from=${next.from}${place}&limit=${limit}>; rel="next"`,
          "Trail-Condition": condition,
        });
      },
    }),
    guarded("GET", "/api/v1/logs/{id}/proof", "AUTHENTICATED", {
      run: async ({ id }) => plainText(await trail.proof(id)),
    }),
  ];
  return routes;
}

export type RouteKey = KeyOf<ReturnType<typeof makeRoutes>[number]>;
