/** Types of the API for TypeScript clients. Made by `make docs`. */
export interface paths {
  "/": {
    /**
     * A welcome
     * @description The cheapest way to find out whether a token is still valid.
     */
    get: operations["welcome"];
  };
  "/routes": {
    /**
     * The endpoints and the roles they require
     * @description The same table that decides about access.
     */
    get: operations["listRoutes"];
  };
  "/openapi.json": {
    /**
     * The OpenAPI document of this service
     * @description This document, from which clients can be generated. `node dist/main.js openapi` prints it too.
     */
    get: operations["describeApi"];
  };
  "/api/v1/auth/login": {
    /**
     * Log in with email and password
     * @description The only operation that needs no token. An unknown email, a wrong password and an inactive employee get the same response. Repeated failures get 429 for a while.
     */
    post: operations["logIn"];
  };
  "/api/v1/auth/register": {
    /**
     * Create an employee, with a role up to one's own
     * @description The new employee is active and can log in at once. A role above the caller's own is refused with 403. If the response was lost, look for the email in the list; a repetition would get 409.
     */
    post: operations["registerEmployee"];
  };
  "/api/v1/employees": {
    /**
     * All employees
     * @description By id, ascending.
     */
    get: operations["listEmployees"];
  };
  "/api/v1/employees/me": {
    /**
     * The caller's own employee
     * @description The employee to whom the token belongs, as stored now.
     */
    get: operations["getOwnEmployee"];
  };
  "/api/v1/employees/{id}": {
    /**
     * One employee
     * @description Any employee may read any other; the password is never part of it.
     */
    get: operations["getEmployee"];
    /**
     * Change an employee whose role is not above one's own
     * @description A field that is absent or null stays as it is; blank text is refused. Another email or role makes the employee's tokens invalid at once. Neither the old nor the new role may be above the caller's own. `id`, `active` and `password` in the body are ignored.
     */
    put: operations["updateEmployee"];
    /**
     * Deactivate an employee
     * @description The employee can no longer log in, and the employee's tokens become invalid at once. Their logs stay. Deactivating again is 204 again. The last ADMIN can be deactivated, too: then only the operator can make another.
     */
    delete: operations["deactivateEmployee"];
    /**
     * Reactivate an employee
     * @description The employee can log in again. Reactivating again is 204 again.
     */
    patch: operations["reactivateEmployee"];
  };
  "/api/v1/employees/{id}/password": {
    /**
     * Change one's own password
     * @description Any other id than the caller's own is 403. All other tokens of the employee become invalid; the one that made the change stays valid. Wrong old passwords count as failed logins. If the response was lost, log in with the new password to find out whether the change was made.
     */
    patch: operations["changePassword"];
  };
  "/api/v1/assets": {
    /**
     * All assets
     * @description By id, ascending. `lastLogDate` is null in lists; read the single asset for it.
     */
    get: operations["listAssets"];
    /**
     * Create an asset
     * @description Names need not be unique, so repeating the request creates another asset: if the response was lost, look for the asset in the list first.
     */
    post: operations["createAsset"];
  };
  "/api/v1/assets/{id}": {
    /**
     * One asset with the date of its newest log
     * @description `lastLogDate` is the `performedDate` of the newest log on the asset.
     */
    get: operations["getAsset"];
    /**
     * Deactivate an asset
     * @description The asset and its logs stay readable, and logs can still be written on it. Deactivating again is 204 again.
     */
    delete: operations["deactivateAsset"];
    /**
     * Activate an asset
     * @description Activating again is 204 again.
     */
    patch: operations["activateAsset"];
  };
  "/api/v1/assets/{id}/logs": {
    /**
     * The logs of an asset, newest first
     * @description Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.
     */
    get: operations["listAssetLogs"];
    /**
     * Write a log on an asset, with the caller as its performer
     * @description The caller is the performer; the body cannot name another. A log can be written on an inactive asset, and is never changed or removed afterwards. Send an `Idempotency-Key`, so that the request can be repeated without writing a second log; the repeated response has the current names.
     */
    post: operations["writeLog"];
  };
  "/api/v1/logs": {
    /**
     * All logs, newest first
     * @description Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.
     */
    get: operations["listLogs"];
  };
  "/api/v1/logs/active-assets": {
    /**
     * The newest logs of the assets that are active now
     * @description Newest first. An asset's activity counts as it is now, not as it was when the log was written.
     */
    get: operations["listActiveAssetLogs"];
  };
  "/api/v1/logs/{id}": {
    /**
     * One log
     * @description A log never changes, but its performer's name may. Send the response's `ETag` back in `If-None-Match` to read it again only if something is different.
     */
    get: operations["getLog"];
  };
  "/api/v1/logs/employee/{id}": {
    /**
     * The logs that one employee performed, newest first
     * @description Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.
     */
    get: operations["listEmployeeLogs"];
  };
  "/api/v1/trail": {
    /**
     * The newest checkpoint of the provable trail
     * @description It covers all that was written before the request, unless `Trail-Condition` says otherwise.
     */
    get: operations["getTrail"];
  };
  "/api/v1/trail/checkpoint": {
    /**
     * The newest checkpoint as a signed note
     * @description As in C2SP tlog-checkpoint. 404 while there is none, and where the trail is not signed.
     */
    get: operations["getCheckpoint"];
  };
  "/api/v1/trail/tile/{path}": {
    /**
     * A tile of hashes, or a bundle of entries
     * @description As in C2SP tlog-tiles, so that its tools can read the trail. `<L>/<N>` is a tile: 256 hashes of 32 bytes, or `W` of them with `.p/<W>` at the end. `entries/<N>` is a bundle: each entry after its length in two bytes. 404 past the newest checkpoint.
     */
    get: operations["getTile"];
  };
  "/api/v1/trail/entries": {
    /**
     * Entries of the trail in their order
     * @description What was recorded, in the order of its numbers: each log, each new employee and asset, and each change of a `role` or an `active`. A trail that is not signed has them too. The response always has a link to what follows, also at the end, so that a client can ask it again later. The link says in `after` which entry it continues. 409: that entry is not in the trail, because the operator has restored an older database: forget the entries, and begin again with 0. 404: `from` is greater than the number of entries; the reason is the same. 410: tell the operator.
     */
    get: operations["listTrailEntries"];
  };
  "/api/v1/logs/{id}/proof": {
    /**
     * The proof that a log is in the trail
     * @description As in C2SP tlog-proof; its `extra` line is the base64 of the entry. Keep the proof with the log. 404 with `Retry-After: 1` until a checkpoint covers the log, and 404 where the trail is not signed. 410 if the log is no longer what was signed.
     */
    get: operations["getLogProof"];
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    /** @description An employee. Employees are deactivated, never deleted. */
    Employee: {
      /**
       * Format: int64
       * @description The id of the employee.
       */
      id: number;
      /** @description The first name, or several. 2 to 50 characters, not counting whitespace at its ends. */
      firstName: string;
      /** @description The last name. 2 to 50 characters, not counting whitespace at its ends. */
      lastName: string;
      /** @description Digits, `+`, `(`, `)`, `-` and whitespace. 6 to 20 characters, not counting whitespace at its ends. */
      phone: string;
      /** @description The login name, unique among all employees whatever its case and form (a domain in Unicode or as `xn--`). It has one `@`, a dot after the `@`, and no whitespace. 5 to 254 characters, not counting whitespace at its ends. */
      email: string;
      /** @description Exactly one role. */
      role: components["schemas"]["Role"];
      /** @description Whether the employee can log in. A new employee is active. */
      active: boolean;
    };
    /** @description Something that is maintained. Assets are deactivated, never deleted. */
    Asset: {
      /**
       * Format: int64
       * @description The id of the asset.
       */
      id: number;
      /** @description What the asset is called. 1 to 100 characters, not counting whitespace at its ends. */
      name: string;
      /** @description Anything that helps to recognise the asset, stored as sent. At most 2,000 characters. */
      description: string;
      /** @description Whether the asset is in use. */
      active: boolean;
      /** @description `performedDate` of the asset's newest log; null without logs, and always null in lists. */
      lastLogDate: string | null;
    };
    /** @description A maintenance log: who performed which work on which asset, and when. It is never changed and never removed. */
    MaintenanceLog: {
      /**
       * Format: int64
       * @description The id of the log.
       */
      id: number;
      /** @description When the work was performed, by the clock on the wall: a local date-time without a zone, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`, in a year from 0001 to 9999, also in the future. A `Z` or an offset is 400. Digits 7 to 9 of a second are accepted and cut. Responses always have the seconds, and a fraction only if it is not zero. */
      performedDate: string;
      /** @description How far the work was. */
      status: components["schemas"]["LogStatus"];
      /** @description What kind of task it was. */
      taskType: components["schemas"]["TaskType"];
      /** @description What was done or found, stored as sent. It may be empty. At most 10,000 characters. */
      comment: string;
      /**
       * Format: int64
       * @description The id of the asset on which the work was performed.
       */
      assetId: number;
      /** @description The name of the asset. */
      assetName: string;
      /**
       * Format: int64
       * @description The id of the employee who performed the work: the one who wrote the log.
       */
      performedByEmployeeId: number;
      /** @description First and last name of that employee as they are now, not as they were then. */
      performedByName: string;
    };
    /** @description What a login gives. */
    LoginResult: {
      /** @description The bearer token for the `Authorization` header of further requests (a JWT). */
      token: string;
      /** @description The employee who logged in. */
      authUser: components["schemas"]["Employee"];
    };
    /** @description The newest checkpoint of the provable trail. `publicKey` and `checkpoint` are null where the trail is not signed. */
    TrailHead: {
      /** @description The name of the trail and of its key. */
      origin: string | null;
      /** @description The verifier key, as in C2SP signed-note. Compare it with the one that you got otherwise. */
      publicKey: string | null;
      /**
       * Format: int64
       * @description How many entries the checkpoint covers.
       */
      size: number;
      /** @description The root hash of their Merkle tree (RFC 6962), in base64. */
      rootHash: string;
      /** @description The signed note, as in C2SP tlog-checkpoint. */
      checkpoint: string | null;
    };
    /** @description An entry of the provable trail. The hash in the tree is that of its canonical bytes (RFC 8785). */
    TrailEntry: {
      /**
       * Format: int64
       * @description Its number, from 0 without a gap.
       */
      index: number;
      /** @description What was recorded: `kind` is log, employee or asset, and decides the other fields. That of a log has all fields of MaintenanceLog but `assetName`, and when it was recorded (`recordedAt`, UTC). */
      entry: {
        [key: string]: unknown;
      };
    };
    /** @description The body of every error. */
    ErrorResponse: {
      /** @description The HTTP status of the response. */
      status: number;
      /** @description What is wrong, in words for the developer of the client. */
      msg: string;
    };
    /** @description A welcome. */
    Welcome: {
      /** @description The welcome in words. */
      message: string;
    };
    /** @description An endpoint and who may call it. */
    RouteOverview: {
      /** @description The HTTP method. */
      method: string;
      /** @description The path, with `{id}` in place of an id. */
      path: string;
      /** @description The role that is needed: an employee with this role or one above it may call the endpoint. AUTHENTICATED is any logged-in employee; no role means that no token is needed. */
      roles: string[];
    };
    /** @description An OpenAPI 3.1 document. */
    OpenApiDocument: {
      /** @description The version of the OpenAPI Specification. */
      openapi: string;
      /** @description The API in words. */
      info: Record<string, never>;
      /** @description Where the paths begin. */
      servers?: Record<string, never>[];
      /** @description What every operation needs unless it says otherwise. */
      security?: Record<string, never>[];
      /** @description The groups of operations. */
      tags?: Record<string, never>[];
      /** @description The operations. */
      paths: Record<string, never>;
      /** @description What operations share. */
      components?: Record<string, never>;
    };
    /** @description Body of: Log in with email and password. */
    LogInRequest: {
      /** @description The email that the employee was registered with, in any case and form. */
      email: string;
      /** @description The employee's password. */
      password: string;
    };
    /** @description Body of: Create an employee, with a role up to one's own. */
    RegisterEmployeeRequest: {
      /** @description The first name, or several. 2 to 50 characters, not counting whitespace at its ends. */
      firstName: string;
      /** @description The last name. 2 to 50 characters, not counting whitespace at its ends. */
      lastName: string;
      /** @description The login name, unique among all employees whatever its case and form (a domain in Unicode or as `xn--`). It has one `@`, a dot after the `@`, and no whitespace. 5 to 254 characters, not counting whitespace at its ends. */
      email: string;
      /**
       * Format: password
       * @description The service stores only its hash (argon2id) and never returns it. 4 to 72 characters, not counting whitespace at its ends.
       */
      password: string;
      /** @description Digits, `+`, `(`, `)`, `-` and whitespace. 6 to 20 characters, not counting whitespace at its ends. */
      phone: string;
      /** @description Exactly one role. */
      role: components["schemas"]["Role"];
    };
    /** @description Body of: Change an employee whose role is not above one's own. */
    UpdateEmployeeRequest: {
      /** @description The first name, or several. 2 to 50 characters, not counting whitespace at its ends. */
      firstName?: string | null;
      /** @description The last name. 2 to 50 characters, not counting whitespace at its ends. */
      lastName?: string | null;
      /** @description The login name, unique among all employees whatever its case and form (a domain in Unicode or as `xn--`). It has one `@`, a dot after the `@`, and no whitespace. 5 to 254 characters, not counting whitespace at its ends. */
      email?: string | null;
      /** @description Digits, `+`, `(`, `)`, `-` and whitespace. 6 to 20 characters, not counting whitespace at its ends. */
      phone?: string | null;
      /** @description Exactly one role. */
      role?: components["schemas"]["Role"] | null;
    };
    /** @description Body of: Change one's own password. */
    ChangePasswordRequest: {
      /** @description The password until now. A wrong one: 400 `Old password is incorrect`. */
      oldPassword: string;
      /**
       * Format: password
       * @description The password from now on. 4 to 72 characters, not counting whitespace at its ends.
       */
      newPassword: string;
    };
    /** @description Body of: Create an asset. */
    CreateAssetRequest: {
      /** @description What the asset is called. 1 to 100 characters, not counting whitespace at its ends. */
      name: string;
      /**
       * @description Anything that helps to recognise the asset, stored as sent. At most 2,000 characters.
       * @default
       */
      description?: string | null;
      /**
       * @description Whether the asset is in use. Logs can be written on an inactive asset too.
       * @default true
       */
      active?: boolean | null;
    };
    /** @description Body of: Write a log on an asset, with the caller as its performer. */
    WriteLogRequest: {
      /** @description When the work was performed, by the clock on the wall: a local date-time without a zone, `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`, in a year from 0001 to 9999, also in the future. A `Z` or an offset is 400. Digits 7 to 9 of a second are accepted and cut. Responses always have the seconds, and a fraction only if it is not zero. */
      performedDate: string;
      /** @description How far the work was. */
      status: components["schemas"]["LogStatus"];
      /** @description What kind of task it was. */
      taskType: components["schemas"]["TaskType"];
      /** @description What was done or found, stored as sent. It may be empty. At most 10,000 characters. */
      comment: string;
    };
    /**
     * Role
     * @description What an employee may do. MANAGER may do what TECHNICIAN may, and ADMIN what MANAGER may.
     * @enum {string}
     */
    Role: "TECHNICIAN" | "MANAGER" | "ADMIN";
    /**
     * LogStatus
     * @description How far the work was when the log was written. A log never changes: a later status is another log, and no field links the two.
     * @enum {string}
     */
    LogStatus: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
    /**
     * TaskType
     * @description What kind of task the log is about.
     * @enum {string}
     */
    TaskType: "PRODUCTION" | "MAINTENANCE" | "ERROR";
  };
  responses: {
    /** @description Something in the request is missing, malformed or out of bounds; the message names it. Missing fields are reported before malformed ones. Correct the request before sending it again. */
    Error400: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description At login: wrong email or password, or an inactive employee; the response does not tell which. On create-log, with `error="invalid_token"` in `WWW-Authenticate`: no employee has the email in the token; log in again. */
    Error401: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
        "WWW-Authenticate": components["headers"]["Challenge"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The token is missing or not valid, or the employee's role is not sufficient. With `error="invalid_token"` in `WWW-Authenticate` the token has expired, was revoked or names nobody: log in again and repeat the request. With `error="insufficient_scope"` logging in again does not help. */
    Error403: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
        "WWW-Authenticate": components["headers"]["Challenge"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description There is no such record, checkpoint or tile, or the trail ends before this entry. With a `Retry-After`, the log is not in the trail yet: ask again. */
    Error404: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
        "Retry-After": components["headers"]["RetryAfter"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The request took more than 10 seconds to arrive. */
    Error408: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description Another employee has this email, in this or another form. Or the trail does not have the entry that the link to its next entries continues. */
    Error409: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description An entry or its record was removed in the database, or a proof or tile would not fit what was signed. Logs, lists and entries show what the database has, also a changed record: compare it by a proof, `verify` or `audit`. */
    Error410: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The record is not as `If-Match` or `If-None-Match` says: read it again, then decide. If the response of a change was lost, repeating the change is 412 too. Assets, new logs, registrations and changes of a password have no entity tag: an `If-Match` with a tag is 412 there, and so is `If-None-Match: *`, except with POST. */
    Error412: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The body is larger than 64 KiB, or than 4 KiB at login and at a change of password. A comment of 10,000 characters can be larger if each is sent as `\u` escapes: send UTF-8. */
    Error413: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The body has a `Content-Type` that is not `application/json` in UTF-8, or is compressed. */
    Error415: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The `Expect` header asks for something other than `100-continue`. */
    Error417: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The employee has used this `Idempotency-Key` for a log with other values or another asset. Use a new key for a new log. */
    Error422: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description Too many failed logins. Try again after the number of seconds in `Retry-After`. For one email the wait grows with each further failure. */
    Error429: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
        "Retry-After": components["headers"]["RetryAfter"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The target and the header section are larger than 8 KiB together, or there are more than 100 headers. */
    Error431: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description A fault of the service, or a failure of its database such as a full disk. The service's log tells the cause under the response's `X-Request-Id`. A create-log with an `Idempotency-Key` can be repeated. */
    Error500: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The database cannot be reached, others changed the same records at the same time, or the service has too much to do. Repeat the request after the number of seconds in `Retry-After`, and wait longer each time (exponential back-off with jitter). The request may have been carried out all the same. GET, PUT and DELETE can be repeated safely, and so can PATCH on an employee or asset; a create-log only with an `Idempotency-Key`. */
    Error503: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
        "Retry-After": components["headers"]["RetryAfter"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
    /** @description The request's version of HTTP is neither 1.0 nor 1.1. */
    Error505: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["ErrorResponse"];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: {
    /** @description The request's name in the service's log: the `X-Request-Id` that the client sent, or a new one where it sent none that is fit for a header. */
    RequestId: string;
    /** @description The number of seconds to wait before trying again. */
    RetryAfter: number;
    /** @description What is wrong with the token (RFC 6750, section 3): `Bearer realm="maintenance-log"` when there is none or a login has failed; after it `error="invalid_token"` when it is not valid: log in again; `error="insufficient_scope"` when the employee's role is not sufficient. */
    Challenge: string;
  };
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export interface operations {

  /**
   * A welcome
   * @description The cheapest way to find out whether a token is still valid.
   */
  welcome: {
    responses: {
      /** @description A welcome. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Welcome"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The endpoints and the roles they require
   * @description The same table that decides about access.
   */
  listRoutes: {
    responses: {
      /** @description The endpoints and the roles they require. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["RouteOverview"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The OpenAPI document of this service
   * @description This document, from which clients can be generated. `node dist/main.js openapi` prints it too.
   */
  describeApi: {
    responses: {
      /** @description The OpenAPI document of this service. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["OpenApiDocument"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Log in with email and password
   * @description The only operation that needs no token. An unknown email, a wrong password and an inactive employee get the same response. Repeated failures get 429 for a while.
   */
  logIn: {
    requestBody: {
      content: {
        /**
         * @example {
         *   "email": "ada@example.com",
         *   "password": "correct horse"
         * }
         */
        "application/json": components["schemas"]["LogInRequest"];
      };
    };
    responses: {
      /** @description Log in with email and password. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["LoginResult"];
        };
      };
      400: components["responses"]["Error400"];
      401: components["responses"]["Error401"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      429: components["responses"]["Error429"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Create an employee, with a role up to one's own
   * @description The new employee is active and can log in at once. A role above the caller's own is refused with 403. If the response was lost, look for the email in the list; a repetition would get 409.
   */
  registerEmployee: {
    requestBody: {
      content: {
        /**
         * @example {
         *   "firstName": "Ada",
         *   "lastName": "Byron",
         *   "email": "ada@example.com",
         *   "password": "correct horse",
         *   "phone": "+45 12 34 56 78",
         *   "role": "TECHNICIAN"
         * }
         */
        "application/json": components["schemas"]["RegisterEmployeeRequest"];
      };
    };
    responses: {
      /** @description Create an employee, with a role up to one's own. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description Where the record is: a reference relative to the address of the request. */
          Location?: string;
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["Employee"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      409: components["responses"]["Error409"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * All employees
   * @description By id, ascending.
   */
  listEmployees: {
    parameters: {
      query?: {
        /**
         * @description `true` selects the active records, `false` the inactive ones. Without it the list has both.
         * @example true
         */
        active?: boolean;
      };
    };
    responses: {
      /** @description All employees. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Employee"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The caller's own employee
   * @description The employee to whom the token belongs, as stored now.
   */
  getOwnEmployee: {
    parameters: {
      header?: {
        /**
         * @description The `ETag` of an earlier response, or several: if none matches any more, the response is 412.
         * @example *
         */
        "If-Match"?: string;
        /**
         * @description The `ETag` of an earlier response, or several: if one still matches, the response is 304 without a body.
         * @example "an-earlier-one"
         */
        "If-None-Match"?: string;
      };
    };
    responses: {
      /** @description The caller's own employee. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["Employee"];
        };
      };
      /** @description The client has the current version already; no body. */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * One employee
   * @description Any employee may read any other; the password is never part of it.
   */
  getEmployee: {
    parameters: {
      header?: {
        /**
         * @description The `ETag` of an earlier response, or several: if none matches any more, the response is 412.
         * @example *
         */
        "If-Match"?: string;
        /**
         * @description The `ETag` of an earlier response, or several: if one still matches, the response is 304 without a body.
         * @example "an-earlier-one"
         */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The id of the employee.
         * @example 3
         */
        id: number;
      };
    };
    responses: {
      /** @description One employee. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["Employee"];
        };
      };
      /** @description The client has the current version already; no body. */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Change an employee whose role is not above one's own
   * @description A field that is absent or null stays as it is; blank text is refused. Another email or role makes the employee's tokens invalid at once. Neither the old nor the new role may be above the caller's own. `id`, `active` and `password` in the body are ignored.
   */
  updateEmployee: {
    parameters: {
      header?: {
        /**
         * @description The `ETag` of the employee as the client knows it: if another change came first, the response is 412 and nothing is changed. `*` matches whatever exists. A malformed list of entity tags is 400.
         * @example *
         */
        "If-Match"?: string;
        /**
         * @description With `*` the response is 412 if the employee exists.
         * @example "an-earlier-one"
         */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The id of the employee.
         * @example 3
         */
        id: number;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "phone": "+45 98 76 54 32",
         *   "role": "MANAGER"
         * }
         */
        "application/json": components["schemas"]["UpdateEmployeeRequest"];
      };
    };
    responses: {
      /** @description Change an employee whose role is not above one's own. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["Employee"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      409: components["responses"]["Error409"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Deactivate an employee
   * @description The employee can no longer log in, and the employee's tokens become invalid at once. Their logs stay. Deactivating again is 204 again. The last ADMIN can be deactivated, too: then only the operator can make another.
   */
  deactivateEmployee: {
    parameters: {
      header?: {
        /**
         * @description The `ETag` of the employee as the client knows it: if another change came first, the response is 412 and nothing is changed. `*` matches whatever exists. A malformed list of entity tags is 400.
         * @example *
         */
        "If-Match"?: string;
        /**
         * @description With `*` the response is 412 if the employee exists.
         * @example "an-earlier-one"
         */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The id of the employee.
         * @example 3
         */
        id: number;
      };
    };
    responses: {
      /** @description Done; no body. */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Reactivate an employee
   * @description The employee can log in again. Reactivating again is 204 again.
   */
  reactivateEmployee: {
    parameters: {
      header?: {
        /**
         * @description The `ETag` of the employee as the client knows it: if another change came first, the response is 412 and nothing is changed. `*` matches whatever exists. A malformed list of entity tags is 400.
         * @example *
         */
        "If-Match"?: string;
        /**
         * @description With `*` the response is 412 if the employee exists.
         * @example "an-earlier-one"
         */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The id of the employee.
         * @example 3
         */
        id: number;
      };
    };
    responses: {
      /** @description Done; no body. */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Change one's own password
   * @description Any other id than the caller's own is 403. All other tokens of the employee become invalid; the one that made the change stays valid. Wrong old passwords count as failed logins. If the response was lost, log in with the new password to find out whether the change was made.
   */
  changePassword: {
    parameters: {
      path: {
        /**
         * @description The id of the employee.
         * @example 3
         */
        id: number;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "oldPassword": "correct horse",
         *   "newPassword": "battery staple"
         * }
         */
        "application/json": components["schemas"]["ChangePasswordRequest"];
      };
    };
    responses: {
      /** @description Done; no body. */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      429: components["responses"]["Error429"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * All assets
   * @description By id, ascending. `lastLogDate` is null in lists; read the single asset for it.
   */
  listAssets: {
    parameters: {
      query?: {
        /**
         * @description `true` selects the active records, `false` the inactive ones. Without it the list has both.
         * @example true
         */
        active?: boolean;
      };
    };
    responses: {
      /** @description All assets. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Asset"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Create an asset
   * @description Names need not be unique, so repeating the request creates another asset: if the response was lost, look for the asset in the list first.
   */
  createAsset: {
    requestBody: {
      content: {
        /**
         * @example {
         *   "name": "Pump 7",
         *   "description": "Left of the door",
         *   "active": true
         * }
         */
        "application/json": components["schemas"]["CreateAssetRequest"];
      };
    };
    responses: {
      /** @description Create an asset. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description Where the record is: a reference relative to the address of the request. */
          Location?: string;
        };
        content: {
          "application/json": components["schemas"]["Asset"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * One asset with the date of its newest log
   * @description `lastLogDate` is the `performedDate` of the newest log on the asset.
   */
  getAsset: {
    parameters: {
      path: {
        /**
         * @description The id of the asset.
         * @example 7
         */
        id: number;
      };
    };
    responses: {
      /** @description One asset with the date of its newest log. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Asset"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Deactivate an asset
   * @description The asset and its logs stay readable, and logs can still be written on it. Deactivating again is 204 again.
   */
  deactivateAsset: {
    parameters: {
      path: {
        /**
         * @description The id of the asset.
         * @example 7
         */
        id: number;
      };
    };
    responses: {
      /** @description Done; no body. */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Activate an asset
   * @description Activating again is 204 again.
   */
  activateAsset: {
    parameters: {
      path: {
        /**
         * @description The id of the asset.
         * @example 7
         */
        id: number;
      };
    };
    responses: {
      /** @description Done; no body. */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The logs of an asset, newest first
   * @description Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.
   */
  listAssetLogs: {
    parameters: {
      query?: {
        /**
         * @description Only logs that were written with this status, even if a later log reports another status.
         * @example COMPLETED
         */
        status?: components["schemas"]["LogStatus"];
        /**
         * @description Only logs with this task type.
         * @example MAINTENANCE
         */
        taskType?: components["schemas"]["TaskType"];
        /**
         * @description Only logs performed at this moment or later, in the form of `performedDate`.
         * @example 2026-01-01T00:00
         */
        performedFrom?: string;
        /**
         * @description Only logs performed before this moment, in the form of `performedDate`, so that periods that follow each other share no log.
         * @example 2027-01-01T00:00
         */
        performedTo?: string;
        /**
         * @description Asks for a page of at most this many logs, 1 to 1000. While there are more logs, the response has a `Link` to the next page; a page with a link may be shorter than `limit`, even empty. Without `limit` the list is complete, whatever its length.
         * @example 100
         */
        limit?: number;
        /**
         * @description Where the page begins: an opaque cursor. Take it from the `Link` of the page before.
         * @example MjAyNi0xMS0yMVQwOTozMDowMCA0Mg
         */
        before?: string;
      };
      path: {
        /**
         * @description The id of the asset.
         * @example 7
         */
        id: number;
      };
    };
    responses: {
      /** @description The logs of an asset, newest first. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `<…>; rel="next"`: the next page, a reference relative to this address. Only with `limit`, and only while there are more logs. */
          Link?: string;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceLog"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Write a log on an asset, with the caller as its performer
   * @description The caller is the performer; the body cannot name another. A log can be written on an inactive asset, and is never changed or removed afterwards. Send an `Idempotency-Key`, so that the request can be repeated without writing a second log; the repeated response has the current names.
   */
  writeLog: {
    parameters: {
      header?: {
        /**
         * @description The client's own name for this log, such as a UUID: 1 to 255 visible ASCII characters. With it the request can be sent again after a 503, a time-out or a lost connection: the same employee with the same key and values gets the same log again, with `Idempotent-Replayed: true`, and no second log is written. The service stores the key for ever. A refused request (400, 404) leaves the key free. The same key with other values or another asset is 422.
         * @example 0b9fb5a1-6f2e-4f4e-9d5c-5f1f3f9c1a11
         */
        "Idempotency-Key"?: string;
      };
      path: {
        /**
         * @description The id of the asset.
         * @example 7
         */
        id: number;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "performedDate": "2026-11-21T09:30:00",
         *   "status": "COMPLETED",
         *   "taskType": "MAINTENANCE",
         *   "comment": "Oil changed"
         * }
         */
        "application/json": components["schemas"]["WriteLogRequest"];
      };
    };
    responses: {
      /** @description Write a log on an asset, with the caller as its performer. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description Where the record is: a reference relative to the address of the request. */
          Location?: string;
          /** @description `true` when the log had been written before, under the same key. */
          "Idempotent-Replayed"?: string;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceLog"];
        };
      };
      400: components["responses"]["Error400"];
      401: components["responses"]["Error401"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      422: components["responses"]["Error422"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * All logs, newest first
   * @description Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.
   */
  listLogs: {
    parameters: {
      query?: {
        /**
         * @description Only logs that were written with this status, even if a later log reports another status.
         * @example COMPLETED
         */
        status?: components["schemas"]["LogStatus"];
        /**
         * @description Only logs with this task type.
         * @example MAINTENANCE
         */
        taskType?: components["schemas"]["TaskType"];
        /**
         * @description Only logs performed at this moment or later, in the form of `performedDate`.
         * @example 2026-01-01T00:00
         */
        performedFrom?: string;
        /**
         * @description Only logs performed before this moment, in the form of `performedDate`, so that periods that follow each other share no log.
         * @example 2027-01-01T00:00
         */
        performedTo?: string;
        /**
         * @description Asks for a page of at most this many logs, 1 to 1000. While there are more logs, the response has a `Link` to the next page; a page with a link may be shorter than `limit`, even empty. Without `limit` the list is complete, whatever its length.
         * @example 100
         */
        limit?: number;
        /**
         * @description Where the page begins: an opaque cursor. Take it from the `Link` of the page before.
         * @example MjAyNi0xMS0yMVQwOTozMDowMCA0Mg
         */
        before?: string;
      };
    };
    responses: {
      /** @description All logs, newest first. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `<…>; rel="next"`: the next page, a reference relative to this address. Only with `limit`, and only while there are more logs. */
          Link?: string;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceLog"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The newest logs of the assets that are active now
   * @description Newest first. An asset's activity counts as it is now, not as it was when the log was written.
   */
  listActiveAssetLogs: {
    parameters: {
      query?: {
        /**
         * @description Only logs that were written with this status, even if a later log reports another status.
         * @example COMPLETED
         */
        status?: components["schemas"]["LogStatus"];
        /**
         * @description Only logs with this task type.
         * @example MAINTENANCE
         */
        taskType?: components["schemas"]["TaskType"];
        /**
         * @description Only logs performed at this moment or later, in the form of `performedDate`.
         * @example 2026-01-01T00:00
         */
        performedFrom?: string;
        /**
         * @description Only logs performed before this moment, in the form of `performedDate`, so that periods that follow each other share no log.
         * @example 2027-01-01T00:00
         */
        performedTo?: string;
        /**
         * @description The number of logs, without an upper bound.
         * @example 100
         */
        limit?: number;
      };
    };
    responses: {
      /** @description The newest logs of the assets that are active now. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["MaintenanceLog"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * One log
   * @description A log never changes, but its performer's name may. Send the response's `ETag` back in `If-None-Match` to read it again only if something is different.
   */
  getLog: {
    parameters: {
      header?: {
        /**
         * @description The `ETag` of an earlier response, or several: if none matches any more, the response is 412.
         * @example *
         */
        "If-Match"?: string;
        /**
         * @description The `ETag` of an earlier response, or several: if one still matches, the response is 304 without a body.
         * @example "an-earlier-one"
         */
        "If-None-Match"?: string;
      };
      path: {
        /**
         * @description The id of the log.
         * @example 42
         */
        id: number;
      };
    };
    responses: {
      /** @description One log. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceLog"];
        };
      };
      /** @description The client has the current version already; no body. */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change. */
          ETag?: string;
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      412: components["responses"]["Error412"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The logs that one employee performed, newest first
   * @description Newest first: by `performedDate`, then by id, both descending. Send `limit` to get pages.
   */
  listEmployeeLogs: {
    parameters: {
      query?: {
        /**
         * @description Only logs that were written with this status, even if a later log reports another status.
         * @example COMPLETED
         */
        status?: components["schemas"]["LogStatus"];
        /**
         * @description Only logs with this task type.
         * @example MAINTENANCE
         */
        taskType?: components["schemas"]["TaskType"];
        /**
         * @description Only logs performed at this moment or later, in the form of `performedDate`.
         * @example 2026-01-01T00:00
         */
        performedFrom?: string;
        /**
         * @description Only logs performed before this moment, in the form of `performedDate`, so that periods that follow each other share no log.
         * @example 2027-01-01T00:00
         */
        performedTo?: string;
        /**
         * @description Asks for a page of at most this many logs, 1 to 1000. While there are more logs, the response has a `Link` to the next page; a page with a link may be shorter than `limit`, even empty. Without `limit` the list is complete, whatever its length.
         * @example 100
         */
        limit?: number;
        /**
         * @description Where the page begins: an opaque cursor. Take it from the `Link` of the page before.
         * @example MjAyNi0xMS0yMVQwOTozMDowMCA0Mg
         */
        before?: string;
      };
      path: {
        /**
         * @description The id of the employee.
         * @example 3
         */
        id: number;
      };
    };
    responses: {
      /** @description The logs that one employee performed, newest first. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `<…>; rel="next"`: the next page, a reference relative to this address. Only with `limit`, and only while there are more logs. */
          Link?: string;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceLog"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The newest checkpoint of the provable trail
   * @description It covers all that was written before the request, unless `Trail-Condition` says otherwise.
   */
  getTrail: {
    responses: {
      /** @description The newest checkpoint of the provable trail. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `whole`: nothing is missing. `waiting`: records may be there that the trail does not have yet. `failing`: the same, because of an error. `contradicted`: the stored trail is not the one that was signed. In each condition, entries that have a number can be read. */
          "Trail-Condition"?: string;
        };
        content: {
          "application/json": components["schemas"]["TrailHead"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The newest checkpoint as a signed note
   * @description As in C2SP tlog-checkpoint. 404 while there is none, and where the trail is not signed.
   */
  getCheckpoint: {
    responses: {
      /** @description The newest checkpoint as a signed note. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `whole`: nothing is missing. `waiting`: records may be there that the trail does not have yet. `failing`: the same, because of an error. `contradicted`: the stored trail is not the one that was signed. In each condition, entries that have a number can be read. */
          "Trail-Condition"?: string;
        };
        content: {
          "text/plain": string;
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * A tile of hashes, or a bundle of entries
   * @description As in C2SP tlog-tiles, so that its tools can read the trail. `<L>/<N>` is a tile: 256 hashes of 32 bytes, or `W` of them with `.p/<W>` at the end. `entries/<N>` is a bundle: each entry after its length in two bytes. 404 past the newest checkpoint.
   */
  getTile: {
    parameters: {
      path: {
        /**
         * @description The rest of the path, slashes included, as tlog-tiles writes it: `0/000`, `0/x001/x234/067.p/5`, `entries/000`.
         * @example entries/000
         */
        path: string;
      };
    };
    responses: {
      /** @description A tile of hashes, or a bundle of entries. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/octet-stream": unknown;
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      410: components["responses"]["Error410"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * Entries of the trail in their order
   * @description What was recorded, in the order of its numbers: each log, each new employee and asset, and each change of a `role` or an `active`. A trail that is not signed has them too. The response always has a link to what follows, also at the end, so that a client can ask it again later. The link says in `after` which entry it continues. 409: that entry is not in the trail, because the operator has restored an older database: forget the entries, and begin again with 0. 404: `from` is greater than the number of entries; the reason is the same. 410: tell the operator.
   */
  listTrailEntries: {
    parameters: {
      query?: {
        /**
         * @description The index of the first entry to return: 0 is the first of the trail.
         * @example 0
         */
        from?: number;
        /**
         * @description The first 16 hexadecimal digits of the leaf hash of the entry before `from`. Take them from the `Link` of the page before. If the trail has another entry there, or none, the response is 409.
         * @example 6e340b9cffb37a98
         */
        after?: string;
        /**
         * @description How many entries at most, 1 to 1000.
         * @example 100
         */
        limit?: number;
      };
    };
    responses: {
      /** @description Entries of the trail in their order. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `<…>; rel="next"`, always */
          Link?: string;
          /** @description `whole`: nothing is missing. `waiting`: records may be there that the trail does not have yet. `failing`: the same, because of an error. `contradicted`: the stored trail is not the one that was signed. In each condition, entries that have a number can be read. */
          "Trail-Condition"?: string;
        };
        content: {
          "application/json": components["schemas"]["TrailEntry"][];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      409: components["responses"]["Error409"];
      410: components["responses"]["Error410"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /**
   * The proof that a log is in the trail
   * @description As in C2SP tlog-proof; its `extra` line is the base64 of the entry. Keep the proof with the log. 404 with `Retry-After: 1` until a checkpoint covers the log, and 404 where the trail is not signed. 410 if the log is no longer what was signed.
   */
  getLogProof: {
    parameters: {
      path: {
        /**
         * @description The id of the log.
         * @example 42
         */
        id: number;
      };
    };
    responses: {
      /** @description The proof that a log is in the trail. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "text/plain": string;
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      404: components["responses"]["Error404"];
      408: components["responses"]["Error408"];
      410: components["responses"]["Error410"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
}
