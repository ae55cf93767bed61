import type { Authentication } from "../../../application/authentication.ts";
import type { Employees } from "../../../application/employees.ts";
import type { MaintenanceLogs } from "../../../application/maintenance-logs.ts";
import type { AssetRepository } from "../../../application/ports.ts";
import { type PublishedTrail, shortHashLength } from "../../../application/trail/publishing.ts";
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
import { readMade } from "../../protocol/made-documents.ts";
import { listOrPage, logQueryFields } from "./log-page.ts";
import * as refused from "./refused-query.ts";
import {
  all,
  bytes,
  created,
  listOf,
  madeText,
  noContent,
  one,
  plainText,
  type Records,
  tagged,
  WithHeaders,
} from "./result.ts";
import { type KeyOf, rolesOf, route } from "./route.ts";

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

const shortHash = new RegExp(`^[0-9a-f]{${shortHashLength}}$`);
const readAfter = rule({ type: "string", pattern: shortHash.source }, (value): string => {
  if (typeof value !== "string" || !shortHash.test(value)) throw invalid("Invalid after value");
  return value;
});

export const entriesFields = {
  from: optional(readFrom, 0),
  after: optional(readAfter, undefined),
  limit: optional(readLimit, 100),
};

/** Every route, with the role that it needs. */
export function makeRoutes({ authentication, employees, assets, maintenanceLogs, trail }: UseCases) {
  // Read now: the file of a package that replaces this one would describe another version.
  const document = readMade("openapi.json");
  // Without the file, only the requests for it fail.
  document.catch(() => {});
  const overview = (): Records["RouteOverview"][] =>
    routes.map(({ method, path, role }) => ({ method, path, roles: rolesOf(role) }));
  const routes = [
    route("GET", "/", "AUTHENTICATED", {
      result: one("Welcome"),
      run: () => ({ message: "Welcome to the Maintenance Log Service" }),
    }),
    route("GET", "/routes", "AUTHENTICATED", {
      result: all("RouteOverview"),
      run: overview,
    }),
    route("GET", "/openapi.json", "AUTHENTICATED", {
      result: madeText("OpenApiDocument"),
      run: () => document,
    }),

    route("POST", "/api/v1/auth/login", "NONE", {
      result: one("LoginResult"),
      body: loginFields,
      bodyLimitBytes: credentialsLimitBytes,
      run: ({ body, context }) => authentication.logIn(body, context),
    }),
    route("POST", "/api/v1/auth/register", "MANAGER", {
      result: created(tagged(one("Employee")), ({ id }) => `../employees/${id}`),
      body: registrationFields,
      run: ({ caller, body, context }) => employees.register(caller, body, context),
    }),

    route("GET", "/api/v1/employees", "AUTHENTICATED", {
      result: listOf("Employee"),
      query: activityFilterFields,
      refusedQuery: refused.forEmployees,
      run: ({ query }) => employees.list(query),
    }),
    route("GET", "/api/v1/employees/me", "AUTHENTICATED", {
      result: tagged(one("Employee")),
      run: ({ caller }) => employees.find(caller.employeeId),
    }),
    route("GET", "/api/v1/employees/{id}", "AUTHENTICATED", {
      result: tagged(one("Employee")),
      run: ({ id }) => employees.find(id),
    }),
    route("PUT", "/api/v1/employees/{id}", "MANAGER", {
      result: tagged(one("Employee")),
      body: employeeChangeFields,
      run: ({ caller, id, body, context, isExpected }) =>
        employees.update(caller, id, body, context, isExpected),
    }),
    route("DELETE", "/api/v1/employees/{id}", "ADMIN", {
      result: tagged(noContent),
      run: ({ caller, id, isExpected }) => employees.setActive(caller, id, false, isExpected),
    }),
    route("PATCH", "/api/v1/employees/{id}", "ADMIN", {
      result: tagged(noContent),
      run: ({ caller, id, isExpected }) => employees.setActive(caller, id, true, isExpected),
    }),
    route("PATCH", "/api/v1/employees/{id}/password", "AUTHENTICATED", {
      result: noContent,
      ownIdOnly: true,
      body: passwordChangeFields,
      bodyLimitBytes: credentialsLimitBytes,
      run: ({ caller, body, context }) => employees.changePassword(caller, body, context),
    }),

    route("GET", "/api/v1/assets", "AUTHENTICATED", {
      result: listOf("Asset"),
      query: activityFilterFields,
      refusedQuery: refused.forAssets,
      run: ({ query }) => assets.list(query),
    }),
    route("GET", "/api/v1/assets/{id}", "AUTHENTICATED", {
      result: one("Asset"),
      run: ({ id }) => assets.find(id),
    }),
    route("POST", "/api/v1/assets", "MANAGER", {
      result: created(one("Asset"), ({ id }) => `assets/${id}`),
      body: newAssetFields,
      run: ({ caller, body }) => assets.insert(body, caller),
    }),
    route("PATCH", "/api/v1/assets/{id}", "MANAGER", {
      result: noContent,
      run: ({ caller, id }) => assets.setActive(id, true, caller),
    }),
    route("DELETE", "/api/v1/assets/{id}", "ADMIN", {
      result: noContent,
      run: ({ caller, id }) => assets.setActive(id, false, caller),
    }),
    route("GET", "/api/v1/assets/{id}/logs", "AUTHENTICATED", {
      result: listOf("MaintenanceLog"),
      query: logQueryFields,
      refusedQuery: refused.forLogPages,
      run: ({ id, query }) => listOrPage("logs", query, maintenanceLogs.listOfAsset(id, query)),
    }),
    route("POST", "/api/v1/assets/{id}/logs", "TECHNICIAN", {
      result: created(one("MaintenanceLog"), ({ id }) => `../../logs/${id}`),
      recordsCaller: true,
      headers: writeLogHeaders,
      body: newLogFields,
      run: async ({ caller, id, body, headers }) => {
        const { log, isReplay } = await maintenanceLogs.write(caller, id, body, headers["Idempotency-Key"]);
        return isReplay ? new WithHeaders(log, { "Idempotent-Replayed": "true" }) : log;
      },
    }),

    route("GET", "/api/v1/logs", "AUTHENTICATED", {
      result: listOf("MaintenanceLog"),
      query: logQueryFields,
      refusedQuery: refused.forLogPages,
      run: ({ query }) => listOrPage("logs", query, maintenanceLogs.list(query)),
    }),
    route("GET", "/api/v1/logs/active-assets", "AUTHENTICATED", {
      result: listOf("MaintenanceLog"),
      query: activeAssetsFields,
      refusedQuery: refused.forLogs,
      run: ({ query: { limit, ...filter } }) => maintenanceLogs.listOfActiveAssets(filter, limit),
    }),
    route("GET", "/api/v1/logs/{id}", "AUTHENTICATED", {
      result: tagged(one("MaintenanceLog")),
      run: ({ id }) => maintenanceLogs.find(id),
    }),
    route("GET", "/api/v1/logs/employee/{id}", "MANAGER", {
      result: listOf("MaintenanceLog"),
      query: logQueryFields,
      refusedQuery: refused.forLogPages,
      run: ({ id, query }) => listOrPage(id, query, maintenanceLogs.listOfPerformer(id, query)),
    }),

    // The provable trail.
    route("GET", trailPath, "AUTHENTICATED", {
      result: one("TrailHead"),
      run: async () => {
        const { head, condition } = await trail.head();
        return new WithHeaders(head, { "Trail-Condition": condition });
      },
    }),
    route("GET", `${trailPath}/checkpoint`, "AUTHENTICATED", {
      result: plainText,
      run: async () => {
        const { checkpoint, condition } = await trail.checkpoint();
        return new WithHeaders(checkpoint, { "Trail-Condition": condition });
      },
    }),
    route("GET", `${trailPath}/tile/{path}`, "AUTHENTICATED", {
      result: bytes,
      run: ({ path }) => trail.tile(path),
    }),
    route("GET", `${trailPath}/entries`, "AUTHENTICATED", {
      result: listOf("TrailEntry"),
      query: entriesFields,
      run: async ({ query: { from, limit, after } }) => {
        const { list, next, condition } = await trail.entries(from, limit, after);
        const place = next.after === undefined ? "" : `&after=${next.after}`;
        return new WithHeaders(list, {
          Link: `<entries?from=${next.from}${place}&limit=${limit}>; rel="next"`,
          "Trail-Condition": condition,
        });
      },
    }),
    route("GET", "/api/v1/logs/{id}/proof", "AUTHENTICATED", {
      result: plainText,
      run: ({ id }) => trail.proof(id),
    }),
  ];
  return routes;
}

export type RouteKey = KeyOf<ReturnType<typeof makeRoutes>[number]>;
