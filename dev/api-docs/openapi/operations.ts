import type { RouteKey } from "../../../src/adapters/http/api/routes.ts";
import type { ErrorCode } from "../../../src/domain/error.ts";

/** What the documents say of an operation beyond what its route declares. */
export interface Operation {
  /** So that of a method in generated clients. */
  readonly name: string;
  /** What it does, or what its response is, without a full stop. */
  readonly summary: string;
  /** What a client developer has to know beyond the summary, in Markdown. */
  readonly description: string;
  /** What is different from the example of the record that it sends. */
  readonly exampleBut?: object;
  /** The headers that come with success besides ETag and Location, where they do, and what they say. */
  readonly resultHeaders?: Readonly<Record<string, string>>;
  /** What the route refuses for reasons of its own, besides what any route refuses (openapi.ts). */
  readonly refusals?: readonly ErrorCode[];
  /** A body as a client may send it, where it is not as the example of the record that it makes. */
  readonly example?: Readonly<Record<string, unknown>>;
}

const linkToNextPage = {
  Link: '`<…>; rel="next"`: the next page, a reference relative to this address. Only with `limit`, and only while there are more logs.',
};

const trailCondition = {
  "Trail-Condition":
    "`whole`: nothing is missing. `waiting`: records may be there that the trail does not have yet. `failing`: the same, because of an error. `contradicted`: the stored trail is not the one that was signed. In each condition, entries that have a number can be read.",
};

const withoutLogs = { lastLogDate: null };

/** What the lists of logs have in common that are complete unless they are asked for in pages. */
const allOrPages = {
  description: "Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.",
  resultHeaders: linkToNextPage,
} as const;

/** A route without its words does not compile. */
export const operations: Readonly<Record<RouteKey, Operation>> = {
  "GET /": {
    name: "welcome",
    summary: "A welcome",
    description: "The cheapest way to find out whether a token is still valid.",
  },
  "GET /routes": {
    name: "listRoutes",
    summary: "The endpoints and the roles they require",
    description: "The same table that decides about access.",
  },
  "GET /openapi.json": {
    name: "describeApi",
    summary: "The OpenAPI document of this service",
    description:
      "This document, from which clients can be generated. `node dist/main.js openapi` prints it too.",
  },
  "POST /api/v1/auth/login": {
    name: "logIn",
    summary: "Log in with email and password",
    description:
      "The only operation that needs no token. An unknown email, a wrong password and an inactive employee get the same response. Repeated failures get 429 for a while.",
    refusals: ["LOGIN_FAILED", "THROTTLED"],
    example: { email: "ada@example.com", password: "correct horse" },
  },
  "POST /api/v1/auth/register": {
    name: "registerEmployee",
    summary: "Create an employee, with a role up to one's own",
    description:
      "The new employee is active and can log in at once. A role above the caller's own is refused with 403. If the response was lost, look for the email in the list; a repetition would get 409.",
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
    summary: "All employees",
    description: "By id, ascending.",
  },
  "GET /api/v1/employees/me": {
    name: "getOwnEmployee",
    summary: "The caller's own employee",
    description: "The employee to whom the token belongs, as stored now.",
  },
  "GET /api/v1/employees/{id}": {
    name: "getEmployee",
    summary: "One employee",
    description: "Any employee may read any other; the password is never part of it.",
    refusals: ["NOT_FOUND"],
  },
  "PUT /api/v1/employees/{id}": {
    name: "updateEmployee",
    summary: "Change an employee whose role is not above one's own",
    description:
      "A field that is absent or null stays as it is; blank text is refused. Another email or role makes the employee's tokens invalid at once. Neither the old nor the new role may be above the caller's own. `id`, `active` and `password` in the body are ignored.",
    refusals: ["NOT_FOUND", "CONFLICT"],
    example: { phone: "+45 98 76 54 32", role: "MANAGER" },
  },
  "DELETE /api/v1/employees/{id}": {
    name: "deactivateEmployee",
    summary: "Deactivate an employee",
    description:
      "The employee can no longer log in, and the employee's tokens become invalid at once. Their logs stay. Deactivating again is 204 again. The last ADMIN can be deactivated, too: then only the operator can make another.",
    refusals: ["NOT_FOUND"],
  },
  "PATCH /api/v1/employees/{id}": {
    name: "reactivateEmployee",
    summary: "Reactivate an employee",
    description: "The employee can log in again. Reactivating again is 204 again.",
    refusals: ["NOT_FOUND"],
  },
  "PATCH /api/v1/employees/{id}/password": {
    name: "changePassword",
    summary: "Change one's own password",
    description:
      "Any other id than the caller's own is 403. All other tokens of the employee become invalid; the one that made the change stays valid. Wrong old passwords count as failed logins. If the response was lost, log in with the new password to find out whether the change was made.",
    refusals: ["THROTTLED"],
    example: { oldPassword: "correct horse", newPassword: "battery staple" },
  },
  "GET /api/v1/assets": {
    name: "listAssets",
    summary: "All assets",
    description: "By id, ascending. `lastLogDate` is null in lists; read the single asset for it.",
    exampleBut: withoutLogs,
  },
  "GET /api/v1/assets/{id}": {
    name: "getAsset",
    summary: "One asset with the date of its newest log",
    description: "`lastLogDate` is the `performedDate` of the newest log on the asset.",
    refusals: ["NOT_FOUND"],
  },
  "POST /api/v1/assets": {
    name: "createAsset",
    summary: "Create an asset",
    description:
      "Names need not be unique, so repeating the request creates another asset: if the response was lost, look for the asset in the list first.",
    exampleBut: withoutLogs,
  },
  "PATCH /api/v1/assets/{id}": {
    name: "activateAsset",
    summary: "Activate an asset",
    description: "Activating again is 204 again.",
    refusals: ["NOT_FOUND"],
  },
  "DELETE /api/v1/assets/{id}": {
    name: "deactivateAsset",
    summary: "Deactivate an asset",
    description:
      "The asset and its logs stay readable, and logs can still be written on it. Deactivating again is 204 again.",
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/assets/{id}/logs": {
    name: "listAssetLogs",
    summary: "The logs of an asset, newest first",
    ...allOrPages,
    refusals: ["NOT_FOUND"],
  },
  "POST /api/v1/assets/{id}/logs": {
    name: "writeLog",
    summary: "Write a log on an asset, with the caller as its performer",
    description:
      "The caller is the performer; the body cannot name another. A log can be written on an inactive asset, and is never changed or removed afterwards. Send an `Idempotency-Key`, so that the request can be repeated without writing a second log; the repeated response has the current names.",
    resultHeaders: {
      "Idempotent-Replayed": "`true` when the log had been written before, under the same key.",
    },
    refusals: ["UNAUTHENTICATED", "NOT_FOUND", "UNPROCESSABLE"],
  },
  "GET /api/v1/logs": {
    name: "listLogs",
    summary: "All logs, newest first",
    ...allOrPages,
  },
  "GET /api/v1/logs/active-assets": {
    name: "listActiveAssetLogs",
    summary: "The newest logs of the assets that are active now",
    description:
      "Newest first. An asset's activity counts as it is now, not as it was when the log was written.",
  },
  "GET /api/v1/logs/{id}": {
    name: "getLog",
    summary: "One log",
    description:
      "A log never changes, but its performer's name may. Send the response's `ETag` back in `If-None-Match` to read it again only if something is different.",
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/logs/employee/{id}": {
    name: "listEmployeeLogs",
    summary: "The logs that one employee performed, newest first",
    ...allOrPages,
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/trail": {
    name: "getTrail",
    summary: "The newest checkpoint of the provable trail",
    description:
      "It covers all that was written before the request, unless `Trail-Condition` says otherwise.",
    resultHeaders: trailCondition,
  },
  "GET /api/v1/trail/checkpoint": {
    name: "getCheckpoint",
    summary: "The newest checkpoint as a signed note",
    description: "As in C2SP tlog-checkpoint. 404 while there is none, and where the trail is not signed.",
    resultHeaders: trailCondition,
    refusals: ["NOT_FOUND"],
  },
  "GET /api/v1/trail/tile/{path}": {
    name: "getTile",
    summary: "A tile of hashes, or a bundle of entries",
    description:
      "As in C2SP tlog-tiles, so that its tools can read the trail. `<L>/<N>` is a tile: 256 hashes of 32 bytes, or `W` of them with `.p/<W>` at the end. `entries/<N>` is a bundle: each entry after its length in two bytes. 404 past the newest checkpoint.",
    refusals: ["NOT_FOUND", "GONE"],
  },
  "GET /api/v1/trail/entries": {
    name: "listTrailEntries",
    summary: "Entries of the trail in their order",
    description:
      "What was recorded, in the order of its numbers: each log, each new employee and asset, and each change of a `role` or an `active`. A trail that is not signed has them too. The response always has a link to what follows, also at the end, so that a client can ask it again later. The link says in `after` which entry it continues. 409: that entry is not in the trail, because the operator has restored an older database: forget the entries, and begin again with 0. 404: `from` is greater than the number of entries; the reason is the same. 410: tell the operator.",
    resultHeaders: { Link: '`<…>; rel="next"`, always', ...trailCondition },
    refusals: ["NOT_FOUND", "CONFLICT", "GONE"],
  },
  "GET /api/v1/logs/{id}/proof": {
    name: "getLogProof",
    summary: "The proof that a log is in the trail",
    description:
      "As in C2SP tlog-proof; its `extra` line is the base64 of the entry. Keep the proof with the log. 404 with `Retry-After: 1` until a checkpoint covers the log, and 404 where the trail is not signed. 410 if the log is no longer what was signed.",
    refusals: ["NOT_FOUND", "GONE"],
  },
};
