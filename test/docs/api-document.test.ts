import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeApi } from "../../dev/api-docs/describe.ts";
import { type ApiDocument, makeAnswerCheck } from "../support/api-document.ts";
import { aStoredLog } from "../support/test-records.ts";

const check = makeAnswerCheck((await describeApi()) as ApiDocument);

/** An answer as the service might give it. */
function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const type: Record<string, string> =
    body === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
  return { status, headers: new Headers({ ...type, ...headers }), text, json: body };
}

const log = aStoredLog();
const { comment: _, ...withoutComment } = log;
const error = { status: 404, msg: "Log not found" };

/** The check that every answer of the HTTP tests passes through is itself tried here. */
describe("the check of answers against the document", () => {
  for (const [what, method, path, bad, fault] of [
    [
      "a property too many",
      "GET",
      "/api/v1/logs/1",
      answer(200, { ...log, secret: 1 }),
      /additional properties/,
    ],
    [
      "a property too few",
      "GET",
      "/api/v1/logs/1",
      answer(200, withoutComment),
      /required property 'comment'/,
    ],
    ["a wrong type", "GET", "/api/v1/logs/1", answer(200, { ...log, id: "1" }), /must be integer/],
    [
      "a word of no enum",
      "GET",
      "/api/v1/logs",
      answer(200, [log, { ...log, status: "DONE" }]),
      /allowed values/,
    ],
    [
      "a date with a zone",
      "GET",
      "/api/v1/logs",
      answer(200, [{ ...log, performedDate: "2026-11-21T09:30Z" }]),
      /pattern/,
    ],
    ["a status that is not declared", "GET", "/api/v1/logs/1", answer(201, log), /does not declare/],
    ["a conflict where there can be none", "GET", "/api/v1/logs/1", answer(409, error), /does not declare/],
    ["an error of another shape", "GET", "/api/v1/logs/1", answer(404, { error: "x" }), /required property/],
    ["content that should not be", "DELETE", "/api/v1/assets/1", answer(204, {}), /204/],
    ["content to HEAD", "HEAD", "/api/v1/logs", answer(200, []), /200/],
    ["success of an unknown path", "GET", "/api/v1/secrets", answer(200, {}), /not in the document/],
    [
      "another media type",
      "GET",
      "/api/v1/logs",
      answer(200, [], { "content-type": "text/html" }),
      /text\/html/,
    ],
    [
      "a header that is not declared",
      "GET",
      "/api/v1/assets",
      answer(200, [], { link: "<x>" }),
      /Link is not declared/,
    ],
  ] as const) {
    test(`does not let pass: ${what}`, () => {
      assert.throws(() => check(method, path, bad), fault);
    });
  }
});
