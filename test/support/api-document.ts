import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describeApi } from "../../dev/api-docs/describe.ts";
import type { Answer } from "./client.ts";

type Schema = Readonly<Record<string, unknown>>;

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

export interface AnswerCheck {
  (method: string, path: string, answer: Answer): void;
  /** Throws unless the operation declares the status. */
  status(method: string, path: string, status: number): void;
}

/** The service decodes each segment: what it reads as another character, but a slash within one. */
const decoded = (path: string): string =>
  path.replace(/%(?!2f)[2-7][\da-f]/gi, sent => decodeURIComponent(sent));

/** Headers that mean something to a client: an answer has them only where the document says so. */
const describedHeaders = [
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "Retry-After",
  "Trail-Condition",
  "Vary",
  "WWW-Authenticate",
  "X-Request-Id",
];

/**
 * Holds answers against the document: operation, status, media type, headers and body must be as it says,
 * and a record must not have a property more.
 */
export function makeAnswerCheck({ paths, components }: ApiDocument): AnswerCheck {
  // test/docs/openapi.test.ts looks whether the schemas are valid: to make the validator of schemas takes 0.25 s.
  const ajv = new Ajv2020({ formats: { password: true, int64: true }, validateSchema: false });
  ajv.addSchema({ $id: "api", $defs: local(components.schemas) });
  const validators = new Map<Schema, ValidateFunction>();
  const validatorOf = (schema: Schema): ValidateFunction => {
    const known = validators.get(schema) ?? ajv.compile(local(schema));
    validators.set(schema, known);
    return known;
  };
  const templates = Object.keys(paths)
    // A literal segment goes before {id}.
    .sort((a, b) => Number(a.includes("{")) - Number(b.includes("{")))
    .map(path => ({
      path,
      pattern: new RegExp(
        `^${path.replaceAll(".", "\\.").replace("{id}", "[^/]+").replace("{path}", ".+")}$`,
      ),
    }));

  function responseOf(method: string, path: string, status: number): Response | undefined {
    const template = templates.find(({ pattern }) => pattern.test(decoded(path.split("?")[0] ?? "")))?.path;
    const operation = paths[template ?? ""]?.[method === "HEAD" ? "get" : method.toLowerCase()];
    if (method === "OPTIONS" && status === 200) return undefined;
    if (operation === undefined) {
      assert.ok(status >= 400, `${method} ${path} answered ${status}, but is not in the document`);
      return { content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } } };
    }
    const response = operation.responses[status];
    assert.ok(response, `${method} ${path} answered ${status}, which the document does not declare`);
    if (!("$ref" in response)) return response;
    return components.responses[response.$ref.split("/").at(-1) ?? ""];
  }

  const check = (method: string, path: string, { status, headers, text, json }: Answer): void => {
    const response = responseOf(method, path, status);
    const what = `${method} ${path}, ${status}`;
    if (response?.content === undefined || method === "HEAD") assert.equal(text, "", what);
    else {
      const type = headers.get("content-type")?.split(";")[0] ?? "";
      const content = response.content[type];
      assert.ok(content, `${what}: the document does not declare ${type}`);
      if (type !== "application/json") return;
      const validate = validatorOf(content.schema);
      assert.ok(validate(json), `${what}: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 500)}`);
    }
    for (const name of response?.headers === undefined ? [] : describedHeaders) {
      if (name === "Vary" && headers.get(name) === "Origin") continue;
      if (headers.has(name)) assert.ok(name in (response?.headers ?? {}), `${what}: ${name} is not declared`);
    }
  };
  return Object.assign(check, {
    status: (...answered: Parameters<typeof responseOf>) => void responseOf(...answered),
  });
}

/** With references to where the validator finds them, and records closed. */
const local = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "api#/$defs/"), (_, value) =>
    value?.properties === undefined ? value : { ...value, additionalProperties: false },
  );

export const checkAnswer: AnswerCheck = makeAnswerCheck((await describeApi()) as ApiDocument);
