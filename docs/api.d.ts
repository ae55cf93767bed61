/** Types of the API for TypeScript clients. Made by `make docs`. */
export interface paths {
  "/": {
    /** A welcome */
    get: operations["welcome"];
  };
  "/routes": {
    /** The endpoints and the roles they require */
    get: operations["listRoutes"];
  };
  "/openapi.json": {
    /** The OpenAPI document of this service */
    get: operations["describeApi"];
  };
  "/api/v1/auth/login": {
    /** Log in with email and password */
    post: operations["logIn"];
  };
  "/api/v1/auth/register": {
    /** Create an employee, with a role up to one's own */
    post: operations["registerEmployee"];
  };
  "/api/v1/employees": {
    /** All employees */
    get: operations["listEmployees"];
  };
  "/api/v1/employees/me": {
    /** The caller's own employee */
    get: operations["getOwnEmployee"];
  };
  "/api/v1/employees/{id}": {
    /** One employee */
    get: operations["getEmployee"];
    /** Change an employee whose role is not above one's own */
    put: operations["updateEmployee"];
    /** Deactivate an employee */
    delete: operations["deactivateEmployee"];
    /** Reactivate an employee */
    patch: operations["reactivateEmployee"];
  };
  "/api/v1/employees/{id}/password": {
    /** Change one's own password */
    patch: operations["changePassword"];
  };
  "/api/v1/assets": {
    /** All assets */
    get: operations["listAssets"];
    /** Create an asset */
    post: operations["createAsset"];
  };
  "/api/v1/assets/{id}": {
    /** One asset with the date of its newest log */
    get: operations["getAsset"];
    /** Deactivate an asset */
    delete: operations["deactivateAsset"];
    /** Activate an asset */
    patch: operations["activateAsset"];
  };
  "/api/v1/assets/{id}/logs": {
    /** The logs of an asset, newest first */
    get: operations["listAssetLogs"];
    /** Write a log on an asset, with the caller as its performer */
    post: operations["writeLog"];
  };
  "/api/v1/logs": {
    /** All logs, newest first */
    get: operations["listLogs"];
  };
  "/api/v1/logs/active-assets": {
    /** The newest logs of the assets that are active now */
    get: operations["listActiveAssetLogs"];
  };
  "/api/v1/logs/{id}": {
    /** One log */
    get: operations["getLog"];
  };
  "/api/v1/logs/employee/{id}": {
    /** The logs of what one employee performed, newest first */
    get: operations["listEmployeeLogs"];
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    Employee: {
      id: number;
      /** @description Trimmed of surrounding whitespace */
      firstName: string;
      /** @description Trimmed of surrounding whitespace */
      lastName: string;
      phone: string;
      email: string;
      /** @enum {string} */
      role: "TECHNICIAN" | "MANAGER" | "ADMIN";
      active: boolean;
    };
    Asset: {
      id: number;
      /** @description Trimmed of surrounding whitespace */
      name: string;
      description: string;
      active: boolean;
      /** @description `performedDate` of the newest log; null without logs, and in lists */
      lastLogDate: string | null;
    };
    MaintenanceLog: {
      id: number;
      performedDate: string;
      /** @enum {string} */
      status: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
      /** @enum {string} */
      taskType: "PRODUCTION" | "MAINTENANCE" | "ERROR";
      comment: string;
      assetId: number;
      assetName: string;
      performedByEmployeeId: number;
      performedByName: string;
    };
    LoginResult: {
      token: string;
      authUser: components["schemas"]["Employee"];
    };
    Error: {
      status: number;
      msg: string;
    };
    Welcome: {
      message: string;
    };
    RouteOverview: {
      method: string;
      path: string;
      roles: string[];
    };
    OpenApiDocument: Record<string, never>;
  };
  responses: {
    /** @description Something is missing, malformed or out of bounds; the message names it */
    Error400: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Nobody stands behind these credentials */
    Error401: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description No token, a token that is not valid, or a role that is not enough */
    Error403: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description No such record */
    Error404: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The request took too long to arrive */
    Error408: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The email is taken */
    Error409: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body is larger than 64 KiB */
    Error413: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body is not application/json */
    Error415: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description An expectation other than 100-continue */
    Error417: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The key belongs to another log */
    Error422: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Too many failed logins: try again later */
    Error429: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
        "Retry-After": components["headers"]["RetryAfter"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The header section is larger than 16 KiB */
    Error431: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description A fault of the service, whose log tells the cause under the request id */
    Error500: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The database or the service cannot take the request now */
    Error503: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
        "Retry-After": components["headers"]["RetryAfter"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Neither HTTP/1.0 nor HTTP/1.1 */
    Error505: {
      headers: {
        "X-Request-Id": components["headers"]["RequestId"];
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: {
    /** @description What the client called its request in this header, or else a name for it */
    RequestId: string;
    /** @description Seconds until it is worth trying again */
    RetryAfter: number;
  };
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export interface operations {

  /** A welcome */
  welcome: {
    responses: {
      /** @description A welcome */
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
  /** The endpoints and the roles they require */
  listRoutes: {
    responses: {
      /** @description The endpoints and the roles they require */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `Accept`: a client that prefers HTML gets a page */
          Vary?: string;
        };
        content: {
          "application/json": components["schemas"]["RouteOverview"][];
          "text/html": string;
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
  /** The OpenAPI document of this service */
  describeApi: {
    responses: {
      /** @description The OpenAPI document of this service */
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
  /** Log in with email and password */
  logIn: {
    requestBody: {
      content: {
        /**
         * @example {
         *   "email": "ada@example.com",
         *   "password": "correct horse"
         * }
         */
        "application/json": {
          email: string;
          password: string;
        };
      };
    };
    responses: {
      /** @description Log in with email and password */
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
  /** Create an employee, with a role up to one's own */
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
        "application/json": {
          /** @description Trimmed of surrounding whitespace */
          firstName: string;
          /** @description Trimmed of surrounding whitespace */
          lastName: string;
          email: string;
          /** Format: password */
          password: string;
          phone: string;
          /** @enum {string} */
          role: "TECHNICIAN" | "MANAGER" | "ADMIN";
        };
      };
    };
    responses: {
      /** @description Create an employee, with a role up to one's own */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Employee"];
        };
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
      408: components["responses"]["Error408"];
      409: components["responses"]["Error409"];
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /** All employees */
  listEmployees: {
    parameters: {
      query?: {
        active?: boolean;
      };
    };
    responses: {
      /** @description All employees */
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
  /** The caller's own employee */
  getOwnEmployee: {
    responses: {
      /** @description The caller's own employee */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Employee"];
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
  /** One employee */
  getEmployee: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description One employee */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Employee"];
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
  /** Change an employee whose role is not above one's own */
  updateEmployee: {
    parameters: {
      path: {
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
        "application/json": {
          /** @description Trimmed of surrounding whitespace */
          firstName?: string;
          /** @description Trimmed of surrounding whitespace */
          lastName?: string;
          email?: string;
          phone?: string;
          /** @enum {string} */
          role?: "TECHNICIAN" | "MANAGER" | "ADMIN";
        };
      };
    };
    responses: {
      /** @description Change an employee whose role is not above one's own */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
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
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /** Deactivate an employee */
  deactivateEmployee: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Done */
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
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /** Reactivate an employee */
  reactivateEmployee: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Done */
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
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /** Change one's own password */
  changePassword: {
    parameters: {
      path: {
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
        "application/json": {
          oldPassword: string;
          /** Format: password */
          newPassword: string;
        };
      };
    };
    responses: {
      /** @description Done */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: never;
      };
      400: components["responses"]["Error400"];
      403: components["responses"]["Error403"];
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
  /** All assets */
  listAssets: {
    parameters: {
      query?: {
        active?: boolean;
      };
    };
    responses: {
      /** @description All assets */
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
  /** Create an asset */
  createAsset: {
    requestBody: {
      content: {
        /**
         * @example {
         *   "name": "Pump 7",
         *   "description": "Left of the door"
         * }
         */
        "application/json": {
          /** @description Trimmed of surrounding whitespace */
          name: string;
          /** @default */
          description?: string | null;
          /** @default true */
          active?: boolean | null;
        };
      };
    };
    responses: {
      /** @description Create an asset */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
        };
        content: {
          "application/json": components["schemas"]["Asset"];
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
  /** One asset with the date of its newest log */
  getAsset: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description One asset with the date of its newest log */
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
  /** Deactivate an asset */
  deactivateAsset: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Done */
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
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /** Activate an asset */
  activateAsset: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      /** @description Done */
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
      413: components["responses"]["Error413"];
      415: components["responses"]["Error415"];
      417: components["responses"]["Error417"];
      431: components["responses"]["Error431"];
      500: components["responses"]["Error500"];
      503: components["responses"]["Error503"];
      505: components["responses"]["Error505"];
    };
  };
  /** The logs of an asset, newest first */
  listAssetLogs: {
    parameters: {
      query?: {
        status?: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
        taskType?: "PRODUCTION" | "MAINTENANCE" | "ERROR";
        performedFrom?: string;
        performedTo?: string;
        limit?: number;
        before?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      /** @description The logs of an asset, newest first */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `<…>; rel="next"`, with `limit` while there are more logs */
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
  /** Write a log on an asset, with the caller as its performer */
  writeLog: {
    parameters: {
      header?: {
        "Idempotency-Key"?: string;
      };
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "performedDate": "2026-11-21T09:30",
         *   "status": "COMPLETED",
         *   "taskType": "MAINTENANCE",
         *   "comment": "Oil changed"
         * }
         */
        "application/json": {
          performedDate: string;
          /** @enum {string} */
          status: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
          /** @enum {string} */
          taskType: "PRODUCTION" | "MAINTENANCE" | "ERROR";
          comment: string;
        };
      };
    };
    responses: {
      /** @description Write a log on an asset, with the caller as its performer */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `true` when the log had been written before, under the same key */
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
  /** All logs, newest first */
  listLogs: {
    parameters: {
      query?: {
        status?: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
        taskType?: "PRODUCTION" | "MAINTENANCE" | "ERROR";
        performedFrom?: string;
        performedTo?: string;
        limit?: number;
        before?: string;
      };
    };
    responses: {
      /** @description All logs, newest first */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `<…>; rel="next"`, with `limit` while there are more logs */
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
  /** The newest logs of the assets that are active now */
  listActiveAssetLogs: {
    parameters: {
      query?: {
        status?: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
        taskType?: "PRODUCTION" | "MAINTENANCE" | "ERROR";
        performedFrom?: string;
        performedTo?: string;
        limit?: number;
      };
    };
    responses: {
      /** @description The newest logs of the assets that are active now */
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
  /** One log */
  getLog: {
    parameters: {
      header?: {
        "If-None-Match"?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      /** @description One log */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description Another one when anything of the answer is */
          ETag?: string;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceLog"];
        };
      };
      /** @description The client has it already */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description Another one when anything of the answer is */
          ETag?: string;
        };
        content: never;
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
  /** The logs of what one employee performed, newest first */
  listEmployeeLogs: {
    parameters: {
      query?: {
        status?: "PENDING" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
        taskType?: "PRODUCTION" | "MAINTENANCE" | "ERROR";
        performedFrom?: string;
        performedTo?: string;
        limit?: number;
        before?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      /** @description The logs of what one employee performed, newest first */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["RequestId"];
          /** @description `<…>; rel="next"`, with `limit` while there are more logs */
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
}
