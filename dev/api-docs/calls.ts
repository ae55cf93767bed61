/** A request as the page shows it, with a word on what it shows. */
export interface Call {
  readonly shows: string;
  readonly query?: string | FromAnswer;
  /** The value of `{id}`. */
  readonly id?: number;
  /** The value of `{path}`. */
  readonly path?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | FromAnswer>>;
  /** Without the token that all others send. */
  readonly isAnonymous?: true;
}

/** Made from the headers of the answer before. */
export type FromAnswer = (headers: Headers) => string;

export interface Endpoint {
  readonly route: `${string} /${string}`;
  readonly calls: readonly Call[];
}

export const admin = {
  email: "admin@example.com",
  password: "a long password",
  firstName: "Grace",
  lastName: "Hopper",
  phone: "+45 12 34 56 78",
};

const { email, password } = admin;

const technician = {
  firstName: "Ada",
  lastName: "Byron",
  email: "ada@example.com",
  password: "correct horse",
  phone: "+45 87 65 43 21",
  role: "TECHNICIAN",
};

const log = {
  performedDate: "2026-11-21T09:30",
  status: "COMPLETED",
  taskType: "MAINTENANCE",
  comment: "Oil changed",
};

const key = { "Idempotency-Key": "9b2f6c1e" };

const nextPage: FromAnswer = headers => /\?([^>]+)>/.exec(headers.get("link") ?? "")?.[1] ?? "";
const entityTag: FromAnswer = headers => headers.get("etag") ?? "";

/** Every endpoint, with calls that are made in this order, on records that begin with one ADMIN. */
export const endpoints: readonly Endpoint[] = [
  {
    route: "POST /api/v1/auth/login",
    calls: [
      {
        shows: "The `token` is for the `Authorization` header of all that follows.",
        body: { email, password },
        isAnonymous: true,
      },
      {
        shows:
          "An unknown email, a wrong password and an inactive employee get the same answer. After five failures the answer is 429, with `Retry-After`.",
        body: { email, password: "a guess" },
        isAnonymous: true,
      },
    ],
  },
  {
    route: "POST /api/v1/auth/register",
    calls: [
      { shows: "Nobody grants a role above their own.", body: technician },
      {
        shows: "Emails that differ only in case are the same.",
        body: { ...technician, email: "ADA@example.com" },
      },
      { shows: "What is missing is said before what is malformed.", body: { firstName: "A", email: "ada" } },
    ],
  },
  {
    route: "GET /api/v1/employees",
    calls: [{ shows: "By id; without `active`, all of them.", query: "active=true" }],
  },
  { route: "GET /api/v1/employees/me", calls: [{ shows: "Whom the token belongs to." }] },
  {
    route: "GET /api/v1/employees/{id}",
    calls: [
      { shows: "One employee.", id: 2 },
      { shows: "Nobody has this id.", id: 99 },
    ],
  },
  {
    route: "PUT /api/v1/employees/{id}",
    calls: [
      {
        shows: "What is absent stays as it is. Another role or email ends the employee's tokens.",
        id: 2,
        body: { phone: "+45 11 22 33 44", role: "MANAGER" },
      },
      { shows: "What is sent must not be blank.", id: 2, body: { lastName: " " } },
    ],
  },
  {
    route: "DELETE /api/v1/employees/{id}",
    calls: [{ shows: "Deactivates; the employee's tokens end at once. Nothing is ever deleted.", id: 2 }],
  },
  { route: "PATCH /api/v1/employees/{id}", calls: [{ shows: "Active again.", id: 2 }] },
  {
    route: "PATCH /api/v1/employees/{id}/password",
    calls: [
      {
        shows: "One's own only. The token that made the change lives on, all others of the employee end.",
        id: 1,
        body: { oldPassword: password, newPassword: "a longer password" },
      },
      {
        shows: "The old password is asked for.",
        id: 1,
        body: { oldPassword: "a guess", newPassword: "an even longer one" },
      },
      { shows: "Somebody else's.", id: 2, body: { oldPassword: password, newPassword: "mine now" } },
    ],
  },
  {
    route: "POST /api/v1/assets",
    calls: [
      {
        shows: "A `description` is optional, and so is `active`.",
        body: { name: "Pump 7", description: "Left of the door" },
      },
      { shows: "A name is not.", body: { description: "Right of the door" } },
    ],
  },
  {
    route: "GET /api/v1/assets",
    calls: [{ shows: "By id. In lists `lastLogDate` is always null.", query: "active=true" }],
  },
  {
    route: "POST /api/v1/assets/{id}/logs",
    calls: [
      {
        shows:
          "The performer is the caller. With an `Idempotency-Key` the request may be sent again without fear.",
        id: 1,
        body: log,
        headers: key,
      },
      {
        shows: "Without a key each request writes a log.",
        id: 1,
        body: {
          performedDate: "2026-11-20T14:05:30.25",
          status: "PENDING",
          taskType: "ERROR",
          comment: "Leaks",
        },
      },
      {
        shows: "And one more, to have something to list.",
        id: 1,
        body: { performedDate: "2026-11-19T08:00", status: "CANCELLED", taskType: "PRODUCTION", comment: "" },
      },
      {
        shows: "The first request sent again: the same log, and no second one.",
        id: 1,
        body: log,
        headers: key,
      },
      {
        shows: "The key of another log.",
        id: 1,
        body: { ...log, comment: "Oil checked" },
        headers: key,
      },
      { shows: "A word that is none of the enum.", id: 1, body: { ...log, status: "DONE" } },
      {
        shows: "A date with a zone. The accepted form is `YYYY-MM-DDTHH:MM[:SS[.ffffff]]`, without one.",
        id: 1,
        body: { ...log, performedDate: "2026-11-21T09:30:00Z" },
      },
      { shows: "No such asset.", id: 99, body: log },
    ],
  },
  {
    route: "GET /api/v1/assets/{id}",
    calls: [{ shows: "`lastLogDate` is the `performedDate` of the newest log.", id: 1 }],
  },
  {
    route: "GET /api/v1/assets/{id}/logs",
    calls: [
      {
        shows: "Newest first by `performedDate`, then by id.",
        id: 1,
        query: "status=COMPLETED&taskType=MAINTENANCE",
      },
      {
        shows: "A period: its first moment belongs to it, its last does not.",
        id: 1,
        query: "performedFrom=2026-11-20T00:00&performedTo=2026-11-21T00:00",
      },
    ],
  },
  {
    route: "GET /api/v1/logs",
    calls: [
      { shows: "A page. Without `limit` the list is complete, whatever its length.", query: "limit=2" },
      { shows: "The next page, as the link has it. The last one has no link.", query: nextPage },
      { shows: "A parameter that is malformed, or repeated.", query: "limit=all" },
    ],
  },
  {
    route: "GET /api/v1/logs/{id}",
    calls: [
      { shows: "One log, with an entity tag.", id: 1 },
      {
        shows: "Sent back, the tag says whether anything has changed: not the log, but the names in it may.",
        id: 1,
        headers: { "If-None-Match": entityTag },
      },
    ],
  },
  {
    route: "GET /api/v1/logs/employee/{id}",
    calls: [{ shows: "What an employee performed.", id: 1, query: "limit=1" }],
  },
  {
    route: "GET /api/v1/logs/active-assets",
    calls: [
      {
        shows: "Of all assets that are active now; ten logs unless `limit` says otherwise.",
        query: "limit=1",
      },
    ],
  },
  {
    route: "GET /api/v1/logs/{id}/proof",
    calls: [
      {
        shows: "The proof that a log is in the trail: keep it with the log. See [trail.md](trail.md).",
        id: 1,
      },
    ],
  },
  {
    route: "GET /api/v1/trail",
    calls: [{ shows: "The newest checkpoint, and the key that verifies it." }],
  },
  {
    route: "GET /api/v1/trail/checkpoint",
    calls: [{ shows: "The same as a signed note, for other tools." }],
  },
  {
    route: "GET /api/v1/trail/entries",
    calls: [{ shows: "What was recorded, in order. The link is always there.", query: "from=0&limit=3" }],
  },
  {
    route: "GET /api/v1/trail/tile/{path}",
    calls: [{ shows: "The hashes of the first three entries, 32 bytes each.", path: "0/000.p/3" }],
  },
  {
    route: "DELETE /api/v1/assets/{id}",
    calls: [{ shows: "Deactivates. Its logs stay, and are still listed.", id: 1 }],
  },
  { route: "PATCH /api/v1/assets/{id}", calls: [{ shows: "Active again.", id: 1 }] },
  {
    route: "GET /",
    calls: [
      { shows: "A token works." },
      { shows: "Without one nothing does, but the login.", isAnonymous: true },
    ],
  },
  { route: "GET /routes", calls: [{ shows: "A browser gets a page." }] },
  {
    route: "GET /openapi.json",
    calls: [{ shows: "For generators of clients; `node dist/main.js openapi` prints it too." }],
  },
];
