import { httpLimits } from "../../../src/adapters/http/request/limits.ts";
import { uniqueConstraints } from "../../../src/adapters/postgres/connection/sqlstate.ts";
import { mostHeaders } from "../../../src/adapters/protocol/request-head.ts";

interface Meaning {
  readonly description: string;
  /** By name: each a message that clients get. */
  readonly messages: Readonly<Record<string, string>>;
}

/** What breaks a unique constraint: a name for the example, and words. */
const conflicts: Readonly<Record<keyof typeof uniqueConstraints, readonly [string, string]>> = {
  employee_email_key: ["email", "Another employee has this email, in this or another form."],
};

/** What each error status means, with the messages that a client is most likely to see. */
const meanings: Readonly<Record<string, Meaning>> = {
  400: {
    description:
      "Something in the request is missing, malformed or out of bounds; the message names it. Missing fields are reported before malformed ones. Correct the request before sending it again.",
    messages: {
      missing: "First name is required",
      length: "Last name must be between 2 and 50 characters",
      date: "Invalid performed date: write YYYY-MM-DDTHH:MM[:SS[.ffffff]], without a zone",
      word: "Invalid status value",
      id: "Invalid id",
      query: "assetId is no parameter of this list: read /assets/{id}/logs",
      host: "Host header is not a host and port",
      json: "Request body is not valid JSON in UTF-8",
    },
  },
  401: {
    description:
      'At login: wrong email or password, or an inactive employee; the response does not tell which. On create-log, with `error="invalid_token"` in `WWW-Authenticate`: no employee has the email in the token; log in again.',
    messages: { login: "Wrong email or password", performer: "No employee matches the token" },
  },
  403: {
    description:
      'The token is missing or not valid, or the employee\'s role is not sufficient. With `error="invalid_token"` in `WWW-Authenticate` the token has expired, was revoked or names nobody: log in again and repeat the request. With `error="insufficient_scope"` logging in again does not help.',
    messages: {
      none: "Token is missing",
      invalid: "Token is not valid",
      role: "Unauthorized",
      user: "No user was added from the token",
    },
  },
  404: {
    description:
      "There is no such record, checkpoint or tile, or the trail ends before this entry. With a `Retry-After`, the log is not in the trail yet: ask again.",
    messages: {
      employee: "Employee not found",
      asset: "Asset not found",
      log: "Log not found",
      uncovered: "Log is not in the trail yet",
      unsigned: "The trail is not signed",
      past: "The trail has 17 entries",
    },
  },
  408: {
    description: "The request took more than 10 seconds to arrive.",
    messages: { slow: "Request took too long" },
  },
  409: {
    description: [
      ...Object.values(conflicts).map(([, words]) => words),
      "Or the trail does not have the entry that the link to its next entries continues.",
    ].join(" "),
    messages: {
      ...Object.fromEntries(
        Object.entries(conflicts).map(([constraint, [name]]) => [
          name,
          uniqueConstraints[constraint as keyof typeof uniqueConstraints]().message,
        ]),
      ),
      history: "The trail has another history",
    },
  },
  410: {
    description:
      "An entry or its record was removed in the database, or a proof or tile would not fit what was signed. Logs, lists and entries show what the database has, also a changed record: compare it by a proof, `verify` or `audit`.",
    messages: {
      removed: "Entry 17 of the trail was removed",
      changed: "Log 12, entry 17 of the trail, is not what was signed",
    },
  },
  412: {
    description:
      "The record is not as `If-Match` or `If-None-Match` says: read it again, then decide. If the response of a change was lost, repeating the change is 412 too. Assets, new logs, registrations and changes of a password have no entity tag: an `If-Match` with a tag is 412 there, and so is `If-None-Match: *`, except with POST.",
    messages: { changed: "The record has changed" },
  },
  413: {
    description:
      "The body is larger than 64 KiB, or than 4 KiB at login and at a change of password. A comment of 10,000 characters can be larger if each is sent as `\\u` escapes: send UTF-8.",
    messages: {
      body: "Request body must be at most 65536 bytes",
      credentials: "Request body must be at most 4096 bytes",
    },
  },
  415: {
    description: "The body has a `Content-Type` that is not `application/json` in UTF-8, or is compressed.",
    messages: {
      charset: "Content-Type must be application/json in UTF-8, not in latin1",
      type: "Content-Type must be application/json; with curl: -H 'Content-Type: application/json'",
      encoding: "Content-Encoding is not supported",
    },
  },
  417: {
    description: "The `Expect` header asks for something other than `100-continue`.",
    messages: { expectation: "Expectation cannot be met" },
  },
  422: {
    description:
      "The employee has used this `Idempotency-Key` for a log with other values or another asset. Use a new key for a new log.",
    messages: { key: "Idempotency-Key was used for another log" },
  },
  429: {
    description:
      "Too many failed logins. Try again after the number of seconds in `Retry-After`. For one email the wait grows with each further failure.",
    messages: { throttled: "Too many failed logins" },
  },
  431: {
    description: `The target and the header section are larger than ${httpLimits.headerBytes / 1024} KiB together, or there are more than ${mostHeaders} headers.`,
    messages: {
      head: "Request target or header fields are too large",
    },
  },
  500: {
    description:
      "A fault of the service, or a failure of its database such as a full disk. The service's log tells the cause under the response's `X-Request-Id`. A create-log with an `Idempotency-Key` can be repeated.",
    messages: { fault: "Internal server error" },
  },
  503: {
    description:
      "The database cannot be reached, others changed the same records at the same time, or the service has too much to do. Repeat the request after the number of seconds in `Retry-After`, and wait longer each time (exponential back-off with jitter). The request may have been carried out all the same. GET, PUT and DELETE can be repeated safely, and so can PATCH on an employee or asset; a create-log only with an `Idempotency-Key`.",
    messages: {
      database: "The database is not available",
      collision: "Others changed the same records at the same time: send the request again",
      overload: "The service is overloaded",
    },
  },
  505: {
    description: "The request's version of HTTP is neither 1.0 nor 1.1.",
    messages: { version: "HTTP version must be 1.0 or 1.1" },
  },
};

const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const retryAfter = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const challenge = { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } };
const moreHeaders: Readonly<Record<string, object>> = {
  401: challenge,
  403: challenge,
  404: retryAfter,
  429: retryAfter,
  503: retryAfter,
};

/** The error responses by the names that operations refer to. */
export const errorResponses = Object.fromEntries(
  Object.entries(meanings).map(([status, { description, messages }]) => [
    `Error${status}`,
    {
      description,
      headers: { ...requestId, ...moreHeaders[status] },
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/ErrorResponse" },
          examples: Object.fromEntries(
            Object.entries(messages).map(([name, msg]): [string, { readonly value: object }] => [
              name,
              { value: { status: Number(status), msg } },
            ]),
          ),
        },
      },
    },
  ]),
);
