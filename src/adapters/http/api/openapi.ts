import type { Field, Fields, Schema } from "../../../domain/field.ts";
import { statusOf } from "./http-error.ts";
import { type RecordName, recordSchemas } from "./record-schemas.ts";
import type { Route } from "./route.ts";
import { rolesOf } from "./routes-overview.ts";

/** The route table as an OpenAPI document (OpenAPI Specification 3.1): nothing is said here of any one route. */
export function openApiOf(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    Object.assign(paths[route.path] ?? {}, { [route.method.toLowerCase()]: operationOf(route) });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Maintenance Log Service",
      version: "v1",
      description:
        "Employees, assets, and the maintenance logs written on assets. Logs are never changed and never removed.",
    },
    servers: [{ url: "/", description: "The service that answered this document" }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(tagOf))].map(name => ({ name })),
    paths,
    components: {
      schemas: recordSchemas,
      responses: Object.fromEntries(
        Object.keys(refusals).map(status => [`Error${status}`, refusalOf(status)]),
      ),
      headers: { RequestId: requestIdHeader, RetryAfter: retryAfterHeader },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The `token` of a login",
        },
      },
    },
  };
}

/** What every error status means here, with a message as an example. */
const refusals: Readonly<Record<string, readonly [meaning: string, message: string]>> = {
  400: ["Something is missing, malformed or out of bounds; the message names it", "First name is required"],
  401: ["Nobody stands behind these credentials", "Wrong email or password"],
  403: ["No token, a token that is not valid, or a role that is not enough", "Token is not valid"],
  404: ["No such record", "Asset not found"],
  408: ["The request took too long to arrive", "Request took too long"],
  409: ["The email is taken", "Email already exists"],
  413: ["The body is larger than 64 KiB", "Request body must be at most 65536 bytes"],
  415: ["The body is not application/json", "Content-Type must be application/json"],
  417: ["An expectation other than 100-continue", "Expectation cannot be met"],
  422: ["The key belongs to another log", "Idempotency-Key was used for another log"],
  429: ["Too many failed logins: try again later", "Too many failed logins"],
  431: ["The header section is larger than 16 KiB", "Request header fields are too large"],
  500: ["A fault of the service, whose log tells the cause under the request id", "Internal server error"],
  503: ["The database or the service cannot take the request now", "The database is not available"],
  505: ["Neither HTTP/1.0 nor HTTP/1.1", "HTTP version must be 1.0 or 1.1"],
};

/** Any route may answer these, whatever it is there for. */
const ofAnyRoute = [400, 408, 413, 415, 417, 431, 500, 503, 505];

const requestIdHeader = {
  description: "What the client called its request in this header, or else a name for it",
  schema: { type: "string" },
};
const retryAfterHeader = {
  description: "Seconds until it is worth trying again",
  schema: { type: "integer", minimum: 1 },
};
const requestId = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const retryAfter = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

function refusalOf(status: string): object {
  const [description, msg] = refusals[status] ?? ["", ""];
  const isTemporary = status === "429" || status === "503";
  return {
    description,
    headers: { ...requestId, ...(isTemporary && retryAfter) },
    content: jsonContent(namedSchema("Error")[0], { status: Number(status), msg }),
  };
}

const jsonContent = (schema: Schema, example: unknown) => ({ "application/json": { schema, example } });

function operationOf(route: Route): object {
  const { name, summary, role, body, example } = route;
  return {
    operationId: name,
    summary,
    tags: [tagOf(route)],
    // The employee's role must be this one or above it; AUTHENTICATED is anyone logged in.
    "x-roles": rolesOf(role),
    ...(role === "NONE" && { security: [] }),
    parameters: parametersOf(route),
    ...(body !== undefined && {
      requestBody: { required: true, content: jsonContent(bodySchemaOf(body), example) },
    }),
    responses: responsesOf(route),
  };
}

/** The first segment after the version prefix; what is outside of it is about the service itself. */
const tagOf = ({ path }: Route): string => /^\/api\/v\d+\/(\w+)/.exec(path)?.[1] ?? "service";

function parametersOf({ path, query = {}, requestHeaders = {} }: Route): object[] {
  const id = { name: "id", in: "path", required: true, schema: { type: "integer", minimum: 1 } };
  return [
    ...(path.includes("{id}") ? [id] : []),
    ...Object.entries(query).map(([name, field]) => ({
      name,
      in: "query",
      required: field.required,
      schema: withDefault(field),
    })),
    ...Object.entries(requestHeaders).map(([name, schema]) => ({ name, in: "header", schema })),
  ];
}

function bodySchemaOf(fields: Fields): Schema {
  const declared = Object.entries(fields);
  return {
    type: "object",
    properties: Object.fromEntries(
      declared.map(([name, field]) => [
        name,
        field.nullable ? { ...withDefault(field), type: [field.schema["type"], "null"] } : withDefault(field),
      ]),
    ),
    required: declared.filter(([, { required }]) => required).map(([name]) => name),
  };
}

const withDefault = ({ schema, fallback }: Field<unknown>): Schema =>
  fallback === undefined ? schema : { ...schema, default: fallback };

function responsesOf(route: Route): Readonly<Record<string, object>> {
  const { role, status, answer, answerHeaders = {}, requestHeaders = {}, isPageToo } = route;
  const headers = {
    ...requestId,
    ...Object.fromEntries(
      Object.entries(answerHeaders).map(([name, description]) => [
        name,
        { description, schema: { type: "string" } },
      ]),
    ),
  };
  const refused = new Set([
    ...ofAnyRoute,
    ...(role === "NONE" ? [] : [statusOf.TOKEN_REFUSED]),
    ...(route.refusals ?? []).map(code => statusOf[code]),
  ]);
  return {
    [status]: {
      description: answer === undefined ? "Done" : route.summary,
      headers,
      ...(answer !== undefined && { content: { ...contentOf(answer), ...(isPageToo && page) } }),
    },
    ...("If-None-Match" in requestHeaders && { 304: { description: "The client has it already", headers } }),
    ...Object.fromEntries(
      [...refused].map(status => [status, { $ref: `#/components/responses/Error${status}` }]),
    ),
  };
}

function contentOf(answer: NonNullable<Route["answer"]>) {
  const [schema, example] = namedSchema("one" in answer ? answer.one : answer.listOf);
  return "one" in answer
    ? jsonContent(schema, example)
    : jsonContent({ type: "array", items: schema }, [example]);
}

const namedSchema = (name: RecordName): [Schema, unknown] => [
  { $ref: `#/components/schemas/${name}` },
  recordSchemas[name].examples[0],
];

const page = { "text/html": { schema: { type: "string" } } };
