import type { IncomingHttpHeaders } from "node:http";
import type { ByteList, JsonList } from "../../../application/json-list.ts";
import type { Caller, Origin } from "../../../application/ports.ts";
import type { Fields, Values } from "../../../domain/field.ts";
import type { RequiredRole } from "../../../domain/role.ts";

/** What a route answers on success. */
export interface Answer {
  /** The whole text or its bytes, or a list in pieces; none goes with a 204 or a 304. */
  readonly body?: string | Uint8Array | JsonList<object> | ByteList;
  /** Names and values in turn; a body without a Content-Type here is JSON, and a list without it the elements of an array. */
  readonly headers?: readonly string[];
  /** The client has the content already: 304 in place of the route's status (RFC 9110, section 15.4.5). */
  readonly isNotModified?: true;
}

/** An object as JSON. */
export const json = (content: object, headers: readonly string[] = []): Answer => ({
  body: JSON.stringify(content),
  headers,
});

export const list = (body: JsonList<object>, headers: readonly string[] = []): Answer => ({ body, headers });

export const plainText = (body: string): Answer => ({
  body,
  headers: ["Content-Type", "text/plain; charset=utf-8"],
});

export const bytes = (body: Uint8Array | ByteList): Answer => ({
  body,
  headers: ["Content-Type", "application/octet-stream"],
});

/** Of the longest body on a route that does not say otherwise. */
export const bodyLimitBytes = 64 * 1024;

interface Declaration<Body extends Fields, Query extends Fields> {
  /** On the page of all routes, and in the OpenAPI document; what else that says of a route is in dev/api-docs/. */
  readonly summary: string;
  /** The status of success; 200 without it. */
  readonly status?: 201 | 204;
  /** The query parameters that the route knows; it ignores others. */
  readonly query?: Query;
  /** The fields of the JSON body; a route without them does not read a body. */
  readonly body?: Body;
  /** Of the longest body; 64 KiB without it. */
  readonly bodyLimitBytes?: number;
}

interface Input<Body extends Fields, Query extends Fields> {
  /** The `{id}` of the path; 0, which no record has, where the path has none. */
  readonly id: number;
  /** What the path has in place of `{path}`. */
  readonly path: string;
  readonly query: Values<Query>;
  readonly body: Values<Body>;
  readonly headers: IncomingHttpHeaders;
  readonly origin: Origin;
}

interface OpenDeclaration<Body extends Fields, Query extends Fields> extends Declaration<Body, Query> {
  run(input: Input<Body, Query>): Outcome;
}

interface GuardedDeclaration<Body extends Fields, Query extends Fields> extends Declaration<Body, Query> {
  /** The `{id}` must be the caller's own; any other is 403 before the body is looked at. */
  readonly ownIdOnly?: true;
  /** The caller goes on record: a token without an employee is 401 here (section 4.3, rule 4). */
  readonly recordsCaller?: true;
  run(input: Input<Body, Query> & { readonly caller: Caller }): Outcome;
}

type Outcome = Promise<Answer | void> | Answer;

interface Place<RoleNeeded> {
  readonly method: Method;
  /** Literal segments, and at most one `{id}`: a decimal whole number; a `{path}` at the end is all that follows. */
  readonly path: string;
  readonly role: RoleNeeded;
  readonly status: 200 | 201 | 204;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A route that needs no token: login, and nothing else (specification, section 5, rule 9). */
export type OpenRoute = Place<"NONE"> & OpenDeclaration<Fields, Fields>;
export type GuardedRoute = Place<RequiredRole> & GuardedDeclaration<Fields, Fields>;
export type Route = OpenRoute | GuardedRoute;

/** Both tie the declared fields to the type of what `run` is given. */
export const open = <B extends Fields, Q extends Fields>(
  method: Method,
  path: string,
  route: OpenDeclaration<B, Q>,
): Route => ({ method, path, role: "NONE", status: 200, ...route }) as unknown as OpenRoute;
export const guarded = <B extends Fields, Q extends Fields>(
  method: Method,
  path: string,
  role: RequiredRole,
  route: GuardedDeclaration<B, Q>,
): Route => ({ method, path, role, status: 200, ...route }) as unknown as GuardedRoute;
