import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describeApi, describedRoutes, openApiText } from "../../dev/api-docs/describe.ts";
import type { Route } from "../../src/adapters/http/api/route.ts";
import { makeCors } from "../../src/adapters/http/request/cors.ts";
import type { Field, Fields } from "../../src/domain/field.ts";
import { logStatuses, taskTypes } from "../../src/domain/maintenance-log.ts";
import { roles } from "../../src/domain/role.ts";
import { exampleRequests, openExampleWorld } from "../support/example-requests.ts";

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly "x-roles": readonly string[];
  readonly security?: readonly Json[];
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly schema: Json;
    readonly example: unknown;
  }[];
  readonly requestBody?: { readonly content: { readonly "application/json": Media } };
  readonly responses: Readonly<Record<string, { readonly content?: { readonly "application/json": Media } }>>;
}

interface Media {
  readonly schema: Json;
  readonly example: unknown;
}

interface ErrorResponse {
  readonly description: string;
  readonly headers: Json;
  readonly content: {
    readonly "application/json": {
      readonly schema: Json;
      readonly examples: Readonly<Record<string, { readonly value: { status: number; msg: string } }>>;
    };
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly Json[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, ErrorResponse>>;
  };
}

const described = await describeApi();
const copyOf = () => structuredClone(described) as object as Document;
const document = copyOf();
const keyOf = ({ method, path }: Route) => `${method} ${path}`;
const operations = Object.values(document.paths).flatMap(path => Object.values(path));

const ajv = new Ajv2020({ formats: { password: true, int64: true } });
const local = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replaceAll("#/components/schemas/", "api#/$defs/"));
ajv.addSchema({ $id: "api", $defs: local(document.components.schemas) });
/** By their text, since a schema comes in many places. */
const validators = new Map<string, ValidateFunction>();
const errorsOf = (schema: Json, value: unknown): string => {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(local(schema));
  validators.set(text, validate);
  return validate(value) ? "" : ajv.errorsText(validate.errors);
};

// Whether it is an OpenAPI document, its references lead somewhere and its examples fit their schemas, the gate asks Redocly's linter.
describe("the OpenAPI document", () => {
  test("is docs/openapi.json, which the service answers; if not: make docs", () => {
    assert.equal(readFileSync("docs/openapi.json", "utf8"), openApiText());
  });

  test("has an operation for each route, with its role and summary, and no others", () => {
    assert.equal(operations.length, describedRoutes.length);
    for (const { method, path, name, summary, role } of describedRoutes) {
      const operation = document.paths[path]?.[method.toLowerCase()] ?? assert.fail(`${name} is missing`);
      assert.equal(operation.summary, summary);
      assert.deepEqual(operation["x-roles"], role === "NONE" ? [] : [role]);
      assert.deepEqual(operation.security, role === "NONE" ? [] : undefined);
      assert.equal("403" in operation.responses, role !== "NONE", "403 is for those without a token");
    }
  });

  test("has patterns that forms and validators compile, with each of their flags", () => {
    const patterns: string[] = [];
    JSON.stringify(document, (name, value) => {
      if (name === "pattern" && typeof value === "string") patterns.push(value);
      return value;
    });
    assert.ok(patterns.length > 3);
    for (const pattern of patterns) for (const flag of ["u", "v"]) new RegExp(pattern, flag);
  });

  test("says of every id and number of the trail that it has 64 bits", () => {
    const narrow: string[] = [];
    JSON.stringify(document, (name, value) => {
      if (value?.type === "integer" && value.format !== "int64") narrow.push(name);
      return value;
    });
    // The names of the properties and parameters that are counts, and not ids.
    assert.deepEqual(
      [...new Set(narrow)].sort(),
      ["schema", "status"],
      "give the others int64: count() or idOf()",
    );
  });

  test("names the path, query and header parameters of each route", () => {
    const names = (path: string) =>
      document.paths[path]?.["get"]?.parameters.map(parameter => `${parameter.in} ${parameter.name}`);
    assert.deepEqual(names("/api/v1/assets/{id}/logs"), [
      "path id",
      ...["status", "taskType", "performedFrom", "performedTo", "limit", "before"].map(
        name => `query ${name}`,
      ),
    ]);
    assert.deepEqual(names("/api/v1/logs/{id}"), ["path id", "header If-Match", "header If-None-Match"]);
    assert.deepEqual(names("/api/v1/employees"), ["query active"]);
  });

  test("gives an example of every body and response", () => {
    for (const { operationId, requestBody, responses } of operations) {
      for (const part of [requestBody, ...Object.values(responses)]) {
        const media = part?.content?.["application/json"];
        assert.ok(media === undefined || media.example !== undefined, operationId);
      }
    }
  });

  test("requires of each body what the service requires", () => {
    for (const { method, path, name, body = {} } of describedRoutes) {
      const { requestBody } = document.paths[path]?.[method.toLowerCase()] ?? assert.fail(name);
      for (const [field, { required }] of Object.entries(body)) {
        const { schema, example } = requestBody?.content["application/json"] ?? assert.fail(name);
        const { [field]: _, ...others } = example as Json;
        assert.equal(errorsOf(schema, others) !== "", required, `${name} ${field}`);
      }
    }
  });

  test("gives examples of every error, with its status", () => {
    for (const [name, { headers, content }] of Object.entries(document.components.responses)) {
      const examples = Object.values(content["application/json"].examples);
      assert.ok(examples.length > 0, name);
      for (const { value } of examples) assert.equal(`Error${value.status}`, name);
      assert.equal("Retry-After" in headers, ["Error404", "Error429", "Error503"].includes(name), name);
    }
  });

  test("describes each tag, operation, parameter, header, record and field in sentences", () => {
    const isSentence = (text: unknown) => typeof text === "string" && /^[A-Z`\d].*\.$/s.test(text);
    const undescribed: string[] = [];
    const expectWords = (where: string, text: unknown) => void (isSentence(text) || undescribed.push(where));
    for (const { name, description } of document.tags) expectWords(`tag ${name}`, description);
    for (const { operationId, description, parameters } of operations) {
      expectWords(operationId, description);
      for (const { name, description } of parameters) expectWords(`${operationId} ${name}`, description);
    }
    for (const [name, { description, properties = {} }] of Object.entries(document.components.schemas)) {
      expectWords(name, description);
      for (const [field, schema] of Object.entries(properties as Readonly<Record<string, Json>>))
        expectWords(`${name}.${field}`, schema["description"]);
    }
    for (const [name, { description }] of Object.entries(document.components.responses))
      expectWords(name, description);
    assert.deepEqual(undescribed, [], "describe each of these in a sentence in dev/api-docs/openapi/");
  });

  test("names every set of words and every body, so that generated clients have types for them", () => {
    const { LogStatus, TaskType, Role, ...others } = document.components.schemas;
    assert.deepEqual(
      [LogStatus, TaskType, Role].map(schema => schema?.["enum"]),
      [logStatuses, taskTypes, roles],
    );
    assert.doesNotMatch(JSON.stringify([document.paths, others]), /"enum"/);
    for (const { operationId, requestBody } of operations) {
      if (requestBody === undefined) continue;
      const { $ref } = requestBody.content["application/json"].schema;
      assert.equal(String($ref).toLowerCase(), `#/components/schemas/${operationId}request`.toLowerCase());
    }
  });

  test("has an example of every body and parameter, which the service accepts, and is what it answers", async () => {
    const refused: string[] = [];
    await using world = await openExampleWorld();
    // Employee 3 is demoted and deactivated on the way.
    const { token } = await world.join("ADMIN");
    // Its email and passwords are not those of this service, nor is the id that of the caller.
    const ownOnly: Readonly<Record<string, number>> = { logIn: 401, changePassword: 403 };
    const requests = await exampleRequests();
    for (const { operationId, method, path, headers, body, success } of requests) {
      const { status } = await world.call(method, path, { token, headers, body });
      const expected = ownOnly[operationId] ?? success;
      if (status !== expected) refused.push(`${method} ${path} ${JSON.stringify(headers)}: ${status}`);
    }
    assert.deepEqual((await world.call("GET", "/openapi.json", { token })).json, document);
    assert.deepEqual(refused, [], "correct the examples of dev/api-docs/openapi/examples.ts");
    assert.equal(new Set(requests.map(({ operationId }) => operationId)).size, operations.length);
    for (const { operationId, parameters } of operations) {
      for (const { name, example, schema } of parameters)
        assert.equal(errorsOf(schema, example), "", `${operationId} ${name}`);
    }
  });

  test("has patterns of dates that refuse a month 71 and an hour 99", () => {
    const { properties } = document.components.schemas["WriteLogRequest"] as Json;
    const { performedDate = {} } = properties as Readonly<Record<string, Json>>;
    const taken = ["2026-01-31T00:00", "2026-12-31T23:59:59.999999999"];
    const refused = ["2026-71-01T00:00", "2026-00-01T00:00", "2026-01-32T00:00", "2026-01-01T99:00"];
    for (const date of taken) assert.equal(errorsOf(performedDate, date), "", date);
    for (const date of [...refused, "2026-01-01T24:00", "2026-01-01T00:60", "2026-01-01T00:00:60"])
      assert.notEqual(errorsOf(performedDate, date), "", date);
  });

  test("describes no header of a response that a script in a browser may not read", () => {
    const exposed = makeCors("*").forOrigin("https://app.example.com")["Access-Control-Expose-Headers"];
    const readable = new Set([
      ...(exposed ?? "").split(", "),
      "Cache-Control",
      "Content-Length",
      "Content-Type",
    ]);
    const headers = [
      ...operations.flatMap(({ responses }) => Object.values(responses)),
      ...Object.values(document.components.responses),
    ].flatMap(response => Object.keys("headers" in response ? (response.headers as Json) : {}));
    assert.ok(headers.includes("Trail-Condition"));
    assert.deepEqual(
      [...new Set(headers)].filter(name => !readable.has(name)),
      [],
    );
  });

  test("has no empty list of required fields, which OpenAPI 3.0 forbids", () => {
    assert.doesNotMatch(JSON.stringify(document), /"required":\[\]/);
  });
});

describe("the schema of a field", () => {
  const wrench = "\u{1f527}";
  const plain: readonly unknown[] = [
    ...["", " ", "a", "ab", "PENDING", "pending", "ERROR", "ADMIN", "true", true, 0, 1, 5, [], {}],
    ...[
      "1",
      "1000",
      "1001",
      "-1",
      "2026-11-21T09:30",
      "2026-11-21T09:30:00.123456",
      "2026-11-21",
      "2026-11-21T09:30Z",
    ],
    ...[
      "a@b.c",
      "a@b",
      "a b@c.d",
      "+45 12 34 56",
      "12345",
      "123456",
      "1".repeat(20),
      "1".repeat(21),
      "phone 1234",
    ],
    ...[50, 51, 72, 73, 100, 101, 254, 255, 2_000, 2_001, 10_000, 10_001].flatMap(length => [
      "x".repeat(length),
      wrench.repeat(length),
    ]),
    `${"a".repeat(250)}@b.c`,
    `${"a".repeat(251)}@b.c`,
  ];
  const samples = plain.flatMap(value =>
    typeof value === "string" ? [value, ` ${value}`, `${value}\n\t`] : [value],
  );
  const accepts = ({ read, missing }: Field<unknown>, value: unknown): boolean => {
    if (missing(value) !== undefined) return false;
    try {
      read(value);
      return true;
    } catch {
      return false;
    }
  };

  const bodies = describedRoutes.flatMap(route =>
    Object.entries(route.body ?? {}).map(entry => [keyOf(route), ...entry] as const),
  );
  for (const [operation, name, field] of bodies) {
    test(`${name} of ${operation} refuses nothing that the rule takes, and not everything`, () => {
      const taken = samples.filter(value => accepts(field, value));
      assert.ok(taken.length > 0);
      for (const value of taken) assert.equal(errorsOf(field.schema, value), "", JSON.stringify(value));
      const refused = samples.filter(value => errorsOf(field.schema, value) !== "");
      assert.ok(refused.length > 3, "a schema that takes everything says nothing");
    });
  }

  const query: Fields = Object.assign({}, ...describedRoutes.map(({ query }) => query));
  const inTheirType = (value: unknown) =>
    value === "true" ? true : /^\d{1,15}$/.test(String(value)) ? Number(value) : value;
  for (const [name, field] of Object.entries(query)) {
    test(`${name} of a query refuses nothing that the rule takes`, () => {
      for (const value of [...samples, Buffer.from("2026-11-21T09:30:00 7").toString("base64url")]) {
        if (accepts(field, value))
          assert.equal(errorsOf(field.schema, inTheirType(value)), "", String(value));
      }
    });
  }
});
