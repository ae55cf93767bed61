import { type Route, rolesOf } from "../../../src/adapters/http/api/route.ts";
import { statusOf } from "../../../src/adapters/http/api/status-of-error.ts";
import type { Field, Fields, Schema } from "../../../src/domain/field.ts";
import { type Example, exampleOf } from "./examples.ts";
import { preconditionWords, schemaOf } from "./field-words.ts";
import { introduction, tagDescriptions, tokenDescription } from "./introduction.ts";
import type { Operation } from "./operations.ts";
import { byReference, recordSchemas, wordSchemas } from "./record-schemas.ts";
import { errorResponses } from "./status-meanings.ts";

type DescribedRoute = Route & Operation;

/** The route table as an OpenAPI document (OpenAPI Specification 3.1): nothing is said here of any one route. */
export function openApiOf(routes: readonly DescribedRoute[]) {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {};
  const requestSchemas: Record<string, Schema> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
    if (route.body !== undefined) requestSchemas[requestNameOf(route)] = bodySchemaOf(route, route.body);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Maintenance Log Service", version: "v1", description: introduction },
    servers: [{ url: "/", description: "The service that sent this document" }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(tagOf))].map(name => ({ name, description: tagDescriptions[name] ?? "" })),
    paths,
    components: {
      schemas: { ...recordSchemas, ...requestSchemas, ...wordSchemas },
      responses: errorResponses,
      headers: { RequestId: requestIdHeader, RetryAfter: retryAfterHeader, Challenge: challengeHeader },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: tokenDescription },
      },
    },
  };
}

/** Any route may respond with these. */
const ofAnyRoute = [400, 408, 413, 415, 417, 431, 500, 503, 505];

const requestIdHeader = {
  description:
    "The request's name in the service's log: the `X-Request-Id` that the client sent, or a new one where it sent none that is fit for a header.",
  schema: { type: "string" },
};
const retryAfterHeader = {
  description: "The number of seconds to wait before trying again.",
  schema: { type: "integer", format: "int64", minimum: 1 },
};
const challengeHeader = {
  description:
    'What is wrong with the token (RFC 6750, section 3): `Bearer realm="maintenance-log"` when there is none or a login has failed; after it `error="invalid_token"` when it is not valid: log in again; `error="insufficient_scope"` when the employee\'s role is not sufficient.',
  schema: { type: "string" },
};
const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

/** A body with what the example of the record has that it makes. */
const bodyExampleOf = ({ body = {}, result: { kind } }: Pick<Route, "body" | "result">) =>
  kind !== undefined && "one" in kind
    ? partialOf(recordSchemas[kind.one].examples[0], Object.keys(body))
    : undefined;

const partialOf = (record: object | undefined, names: readonly string[]) =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => names.includes(name)));

const jsonContent = (schema: Schema, example: unknown) => ({ "application/json": { schema, example } });

function operationOf(route: DescribedRoute) {
  const { name, summary, description, role, body, example = bodyExampleOf(route) } = route;
  return {
    operationId: name,
    summary,
    description,
    tags: [tagOf(route)],
    // The employee's role must be this one or above it; AUTHENTICATED is anyone logged in.
    "x-roles": rolesOf(role),
    ...(role === "NONE" && { security: [] }),
    parameters: parametersOf(route),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: jsonContent({ $ref: `#/components/schemas/${requestNameOf(route)}` }, example),
      },
    }),
    responses: responsesOf(route),
  };
}

/** The first segment after the version prefix; what is outside of it is about the service itself. */
const tagOf = ({ path }: Route): string => /^\/api\/v\d+\/(\w+)/.exec(path)?.[1] ?? "service";

/** The schema of the route's body, such as WriteLogRequest. */
const requestNameOf = ({ name }: DescribedRoute): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`;

const pathWords =
  "The rest of the path, slashes included, as tlog-tiles writes it: `0/000`, `0/x001/x234/067.p/5`, `entries/000`.";

function parametersOf({ method, path, query = {}, headers = {}, result }: DescribedRoute) {
  const owner = /(\w+?)s?\/\{id\}/.exec(path)?.[1];
  const preconditions: Readonly<Record<string, string>> = isConditional({ method, result })
    ? preconditionWords[method === "GET" ? "read" : "change"]
    : {};
  const text = (description: string) => ({ type: "string", description });
  const id = {
    type: "integer",
    format: "int64",
    minimum: 1,
    description: `The id of the ${owner}.`,
  };
  return [
    ...(owner === undefined ? [] : [parameter("path", "id", id, true, exampleOf(owner))]),
    ...(path.endsWith("/{path}") ? [parameter("path", "path", text(pathWords), true)] : []),
    ...Object.entries(query).map(([name, field]) =>
      parameter("query", name, withDefault(field), field.required),
    ),
    ...Object.entries(headers).map(([name, field]) =>
      parameter("header", name, withDefault(field), field.required),
    ),
    ...Object.entries(preconditions).map(([name, words]) => parameter("header", name, text(words))),
  ];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: unknown;
  readonly schema: Schema;
  readonly example: Example;
}

/** A parameter's description stands beside its schema. */
const parameter = (
  place: "path" | "query" | "header",
  name: string,
  { description, ...schema }: Schema,
  required = false,
  example = exampleOf(name),
): Parameter => ({ name, in: place, required, description, schema, example });

function bodySchemaOf({ summary }: Operation, fields: Fields): Schema {
  const declared = Object.entries(fields);
  const required = declared.filter(([, { required }]) => required).map(([name]) => name);
  return {
    type: "object",
    description: `Body of: ${summary}.`,
    properties: Object.fromEntries(
      declared.map(([name, field]) => [
        name,
        field.required ? withDefault(field) : orNull(withDefault(field)),
      ]),
    ),
    // OpenAPI 3.0 allows no empty list.
    ...(required.length > 0 && { required }),
  };
}

/** Null is the same as absent. */
function orNull({ $ref, ...schema }: Schema): Schema {
  return $ref === undefined
    ? { ...schema, type: [schema["type"], "null"] }
    : { ...schema, anyOf: [{ $ref }, { type: "null" }] };
}

function withDefault(field: Field<unknown>): Schema {
  const schema = byReference(schemaOf(field));
  return field.fallback === undefined ? schema : { ...schema, default: field.fallback };
}

const locationWords = "Where the record is: a reference relative to the address of the request.";
const tagWords =
  "The entity tag of what was sent: for `If-None-Match`, to read it again only if something is different, and for `If-Match` with a change.";

/** Whether it compares the tag of what is there with the preconditions; what a POST makes is not there yet. */
const isConditional = ({ method, result }: Pick<Route, "method" | "result">) =>
  result.isTagged && method !== "POST";

function responsesOf(route: DescribedRoute): Readonly<Record<string, object>> {
  const { method, role, result, resultHeaders = {}, exampleBut } = route;
  const { status, kind, isTagged } = result;
  const isTaggedRead = method === "GET" && isTagged;
  const headers = {
    ...requestId,
    ...Object.fromEntries(
      Object.entries({
        ...(status === 201 && { Location: locationWords }),
        ...resultHeaders,
        ...(isTagged && kind && { ETag: tagWords }),
      }).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
    ),
  };
  const refused = new Set([
    ...ofAnyRoute,
    ...(role === "NONE" ? [] : [statusOf.TOKEN_REFUSED]),
    ...(role === "NONE" || (method === "GET" && !isTagged) ? [] : [statusOf.CHANGED]),
    ...(route.refusals ?? []).map(code => statusOf[code]),
  ]);
  return {
    [status]: {
      description: kind === undefined ? "Done; no body." : `${route.summary}.`,
      headers,
      ...(kind && { content: contentOf(kind, exampleBut) }),
    },
    ...(isTaggedRead && {
      304: { description: "The client has the current version already; no body.", headers },
    }),
    ...Object.fromEntries(
      [...refused].map(status => [status, { $ref: `#/components/responses/Error${status}` }]),
    ),
  };
}

function contentOf(
  kind: NonNullable<Route["result"]["kind"]>,
  exampleBut?: object,
): Readonly<Record<string, object>> {
  if ("type" in kind) {
    const [type = ""] = kind.type.split(";");
    return { [type]: { schema: type === "text/plain" ? { type: "string" } : {} } };
  }
  const name = "one" in kind ? kind.one : kind.listOf;
  const schema = { $ref: `#/components/schemas/${name}` };
  const example = { ...recordSchemas[name].examples[0], ...exampleBut };
  return "one" in kind
    ? jsonContent(schema, example)
    : jsonContent({ type: "array", items: schema }, [example]);
}
