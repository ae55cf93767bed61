import type { ErrorCode } from "../../../src/domain/error.ts";
import type { Schema } from "../../../src/domain/field.ts";
import type { RecordName } from "./record-schemas.ts";

/** What the document says of an operation beyond what its route declares. */
export interface Operation {
  /** So that of a method in generated clients. */
  readonly name: string;
  /** What a client developer has to know beyond the summary, in Markdown. */
  readonly description: string;
  /** The body of a success, if it has one; `but` has what is different from the example of the record. */
  readonly result?:
    | { readonly one: RecordName; readonly but?: object }
    | { readonly listOf: RecordName; readonly but?: object }
    | { readonly type: "text/plain" | "application/octet-stream"; readonly schema: Schema };
  /** The headers that come with success, where they do, and what they say. */
  readonly resultHeaders?: Readonly<Record<string, string>>;
  /** What the route refuses for reasons of its own, besides what any route refuses (openapi.ts). */
  readonly refusals?: readonly ErrorCode[];
  /** A body as a client may send it. */
  readonly example?: Readonly<Record<string, unknown>>;
}

const linkToNextPage = {
  Link: '`<…>; rel="next"`: the next page, a reference relative to this address. Only with `limit`, and only while there are more logs.',
};

const tagOfEmployee = {
  ETag: "The entity tag of the employee: send it in `If-Match` with a change, or in `If-None-Match` to read it again.",
};

const withoutLogs = { lastLogDate: null };

const createdAt = { Location: "Where the record is: a reference relative to the address of the request." };

/** What the lists of logs have in common that are complete unless they are asked for in pages. */
const allOrPages = {
  description: "Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.",
  result: { listOf: "MaintenanceLog" },
  resultHeaders: linkToNextPage,
} as const;

/** By method and path of the route. */
export const operations: Readonly<Record<string, Operation>> = {
  "GET /": {
    name: "welcome",
    description: "The cheapest way to find out whether a token is still valid.",
    result: { one: "Welcome" },
  },
  "GET /routes": {
    name: "listRoutes",
    description: "The same table that decides about access.",
    result: { listOf: "RouteOverview" },
  },
  "GET /openapi.json": {
    name: "describeApi",
    description:
      "This document, from which clients can be generated. `node dist/main.js openapi` prints it too.",
    result: { one: "OpenApiDocument" },
  },
  "POST /api/v1/auth/login": {
    name: "logIn",
    description:
      "The only operation that needs no token. An unknown email, a wrong password and an inactive employee get the same response. Repeated failures get 429 for a while.",
    result: { one: "LoginResult" },
    refusals: ["LOGIN_FAILED", "THROTTLED"],
    example: { email: "ada@example.com", password: "correct horse" },
  },
  "POST /api/v1/auth/register": {
    name: "registerEmployee",
    description:
      "The new employee is active and can log in at once. A role above the caller's own is refused with 403. If the response was lost, send the request again: 409 then means that it was carried out.",
    result: { one: "Employee" },
    resultHeaders: { ...createdAt, ...tagOfEmployee },
    refusals: ["CONFLICT"],
    example: {
      firstName: "Ada",
      lastName: "Byron",
      email: "ada@example.com",
      password: "correct horse",
      phone: "+45 12 34 56 78",
      role: "TECHNICIAN",
    },
  },
  "GET /api/v1/employees": {
    name: "listEmployees",
    description: "By id, ascending.",
    result: { listOf: "Employee" },
  },
  "GET /api/v1/employees/me": {
    name: "getOwnEmployee",
    description: "The employee to whom the token belongs, as stored now.",
    result: { one: "Employee" },
    resultHeaders: tagOfEmployee,
  },
  "GET /api/v1/employees/{id}": {
    name: "getEmployee",
    description: "Any employee may read any other; the password is never part of it.",
    result: { one: "Employee" },
    resultHeaders: tagOfEmployee,
    refusals: ["NOT_FOUND"],
  },
  "PUT /api/v1/employees/{id}": {
    name: "updateEmployee",
    description:
      "A field that is absent or null stays as it is; blank text is refused. Another email or role makes the employee's tokens invalid at once. Neither the old nor the new role may be above the caller's own. `id`, `active` and `password` in the body are ignored.",
    result: { one: "Employee" },
    resultHeaders: tagOfEmployee,
    refusals: ["NOT_FOUND", "CONFLICT"],
    example: { phone: "+45 98 76 54 32", role: "MANAGER" },
  },
  "DELETE /api/v1/employees/{id}": {
    name: "deactivateEmployee",
    description:
      "The employee can no longer log in, and the employee's tokens become invalid at once. Their logs stay. Deactivating again is 204 again.",
    refusals: ["NOT_FOUND"],
  },
  "PATCH /api/v1/employees/{id}": {
    name: "reactivateEmployee",
    description: "The employee can log in again. Reactivating again is 204 again.",
    refusals: ["NOT_FOUND"],
  },
  "PATCH /api/v1/employees/{id}/password": {
    name: "changePassword",
    description:
      "Any other id than the caller's own is 403. All other tokens of the employee become invalid; the one that made the change stays valid. Wrong old passwords count as failed logins. If the response was lost, log in with the new password to find out whether the change was made.",
    refusals: ["THROTTLED"],
    example: { oldPassword: "correct horse", newPassword: "battery staple" },
  },
  "GET /api/v1/assets": {
    name: "listAssets",
    description: "By id, ascending. `lastLogDate` is null in lists; read the single asset for it.",
    result: { listOf: "Asset", but: withoutLogs },
  },
  "GET /api/v1/assets/{id}": {
    name: "getAsset",
    description: "`lastLogDate` is the `performedDate` of the newest log on the asset.",
    result: { one: "Asset" },
    refusals: ["NOT_FOUND"],
  },
  "POST /api/v1/assets": {
    name: "createAsset",
    description:
      "Names need not be unique, so repeating the request creates another asset: if the response was lost, look for the asset in the list first.",
    result: { one: "Asset", but: withoutLogs },
    resultHeaders: createdAt,
    example: { name: "Pump 7", description: "Left of the door" },
  },
  "PATCH /api/v1/assets/{id}": {
    name: "activateAsset",
    description: "Activating again is 204 again.",
    refusals: ["NOT_FOUND"],
  },
  "DELETE /api/v1/assets/{id}": {
    name: "deactivateAsset",
    description:
      "The asset and its logs stay readable, and logs can still be written on it. Deactivating again is 204 again.",
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/assets/{id}/logs": {
    name: "listAssetLogs",
    ...allOrPages,
    refusals: ["NOT_FOUND"],
  },
  "POST /api/v1/assets/{id}/logs": {
    name: "writeLog",
    description:
      "The caller is the performer; the body cannot name another. A log can be written on an inactive asset, and is never changed or removed afterwards. Send an `Idempotency-Key`, so that the request can be repeated without writing a second log; the repeated response has the names of today.",
    result: { one: "MaintenanceLog" },
    resultHeaders: {
      ...createdAt,
      "Idempotent-Replayed": "`true` when the log had been written before, under the same key.",
    },
    refusals: ["UNAUTHENTICATED", "NOT_FOUND", "UNPROCESSABLE"],
    example: {
      performedDate: "2026-11-21T09:30",
      status: "COMPLETED",
      taskType: "MAINTENANCE",
      comment: "Oil changed",
    },
  },
  "GET /api/v1/logs": {
    name: "listLogs",
    ...allOrPages,
  },
  "GET /api/v1/logs/active-assets": {
    name: "listActiveAssetLogs",
    description:
      "Newest first. An asset's activity counts as it is now, not as it was when the log was written.",
    result: { listOf: "MaintenanceLog" },
  },
  "GET /api/v1/logs/{id}": {
    name: "getLog",
    description:
      "A log never changes, but the names of its asset and performer may. Send the response's `ETag` back in `If-None-Match` to read it again only if something is different.",
    result: { one: "MaintenanceLog" },
    resultHeaders: {
      ETag: "The entity tag of this response; it changes when anything in the response changes.",
    },
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/logs/employee/{id}": {
    name: "listEmployeeLogs",
    ...allOrPages,
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/trail": {
    name: "getTrail",
    description: "A checkpoint is signed about a second after the trail has grown.",
    result: { one: "TrailHead" },
  },
  "GET /api/v1/trail/checkpoint": {
    name: "getCheckpoint",
    description: "As in C2SP tlog-checkpoint. 404 while there is none, and where the trail is not signed.",
    result: { type: "text/plain", schema: { type: "string" } },
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/trail/tile/{path}": {
    name: "getTile",
    description:
      "As in C2SP tlog-tiles, so that its tools can read the trail. `<L>/<N>` is a tile: 256 hashes of 32 bytes, or `W` of them with `.p/<W>` at the end. `entries/<N>` is a bundle: each entry after its length in two bytes. 404 past the newest checkpoint.",
    result: { type: "application/octet-stream", schema: {} },
    refusals: ["NOT_FOUND", "GONE"],
  },
  "GET /api/v1/trail/entries": {
    name: "listTrailEntries",
    description:
      "All records in the order of their numbers, each once, as far as the newest checkpoint. The response always has a link to what follows, also at the end, so that a client can follow the trail for ever. `from` past the end is 404 with the number of entries: the client has seen entries that were given up since.",
    result: { listOf: "TrailEntry" },
    resultHeaders: { Link: '`<…>; rel="next"`, always' },
    refusals: ["NOT_FOUND", "GONE"],
  },
  "GET /api/v1/logs/{id}/proof": {
    name: "getLogProof",
    description:
      "As in C2SP tlog-proof; its `extra` line is the base64 of the entry. Keep it with the log. 404 with `Retry-After: 1` until a checkpoint covers the log, and 404 where the trail is not signed. 410 where the log is not what was signed any more.",
    result: { type: "text/plain", schema: { type: "string" } },
    refusals: ["NOT_FOUND", "GONE"],
  },
};
