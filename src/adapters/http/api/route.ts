import type { ByteList, JsonList } from "../../../application/json-list.ts";
import type { Caller, RequestContext } from "../../../application/ports.ts";
import type { Fields, Values } from "../../../domain/field.ts";
import type { RequiredRole } from "../../../domain/role.ts";
import type { HeaderFields } from "../../protocol/error-response.ts";
import type { Preconditions } from "../../protocol/request-head.ts";

/** What a route returns on success. */
export interface RouteResult {
  /** The whole text or its bytes, or a list in chunks; none goes with a 204 or a 304. */
  readonly body?: string | Uint8Array | JsonList<object> | ByteList;
  /** A body without a Content-Type here is JSON, and a list without it the elements of an array. */
  readonly headers?: HeaderFields;
  /** The client has the content already: 304 in place of the route's status (RFC 9110, section 15.4.5). */
  readonly isNotModified?: true;
}

export const json = (content: object, headers: HeaderFields = {}): RouteResult => ({
  body: JSON.stringify(content),
  headers,
});

export const list = (body: JsonList<object>, headers: HeaderFields = {}): RouteResult => ({ body, headers });

export const plainText = (body: string, headers: HeaderFields = {}): RouteResult => ({
  body,
  headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
});

export const bytes = (body: Uint8Array | ByteList): RouteResult => ({
  body,
  headers: { "Content-Type": "application/octet-stream" },
});

/** Of the longest body on a route that does not say otherwise. */
export const bodyLimitBytes = 64 * 1024;

/** Query parameters that are refused: if they were ignored, the client would get another list than it wants. Each has the end of its message. */
export type RefusedQuery = Readonly<Record<string, string>>;

interface Input<Id, Rest, Body extends Fields, Query extends Fields, Headers extends Fields> {
  /** The `{id}` of the path. */
  readonly id: Id;
  /** What the path has in place of `{path}`. */
  readonly path: Rest;
  readonly query: Values<Query>;
  readonly headers: Values<Headers>;
  readonly body: Values<Body>;
  readonly preconditions: Preconditions;
  readonly context: RequestContext;
}

type InputOf<Path, Body extends Fields, Query extends Fields, Headers extends Fields> = Input<
  Path extends `${string}{id}${string}` ? number : undefined,
  Path extends `${string}{path}` ? string : undefined,
  Body,
  Query,
  Headers
>;
type AnyInput = Input<number | undefined, string | undefined, Fields, Fields, Fields>;

/** The words of the documents about a route are in dev/api-docs/openapi/operations.ts. */
interface Declaration<In, Body, Query, Headers> {
  /** The status of success; 200 without it. */
  readonly status?: 201 | 204;
  /** The query parameters that the route knows; it ignores others. */
  readonly query?: Query;
  readonly refusedQuery?: RefusedQuery;
  /** The header fields that the route knows, besides those of every request. */
  readonly headers?: Headers;
  /** The fields of the JSON body; a route without them does not read a body. */
  readonly body?: Body;
  /** Of the longest body; 64 KiB without it. */
  readonly bodyLimitBytes?: number;
  /** What it reads or changes has an entity tag: `run` decides about the preconditions. */
  readonly hasEntityTag?: true;
  run(input: In): Promise<RouteResult | void> | RouteResult;
}

interface GuardedDeclaration<In, Body, Query, Headers>
  extends Declaration<In & { readonly caller: Caller }, Body, Query, Headers> {
  /** The `{id}` must be the caller's own; any other is 403 before the body is looked at. */
  readonly ownIdOnly?: true;
  /** The caller goes on record: a token without an employee is 401 here. */
  readonly recordsCaller?: true;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A declaration in its place, whatever it declares. `caller` is undefined on an open route, and there alone. */
export interface Route extends Omit<GuardedDeclaration<AnyInput, Fields, Fields, Fields>, "status" | "run"> {
  readonly method: Method;
  /** Literal segments, and at most one `{id}`: a decimal integer; a `{path}` at the end is all that follows. */
  readonly path: string;
  /** `NONE` needs no token: login, and nothing else. */
  readonly role: RequiredRole | "NONE";
  readonly status: 200 | 201 | 204;
  run(input: AnyInput & { readonly caller: Caller | undefined }): Promise<RouteResult | void> | RouteResult;
}

/** What a route asks for, as a list; none for an open route. */
export const rolesOf = (role: Route["role"]): string[] => (role === "NONE" ? [] : [role]);

/** A route whose type has its method and path. */
type NamedRoute<M, P> = Route & { readonly method: M; readonly path: P };

/** Method and path of a route, as the documents name it. */
export type KeyOf<R extends Route> =
  R extends NamedRoute<infer M extends Method, infer P extends string> ? `${M} ${P}` : never;

const routeOf = <M extends Method, P extends string>(
  method: M,
  path: P,
  role: Route["role"],
  route: object,
): NamedRoute<M, P> =>
  // The request handler fills in what the route declares (request-handler.ts).
  ({ method, path, role, status: 200, ...(route as GuardedDeclaration<AnyInput, Fields, Fields, Fields>) });

/** Both tie the declared fields to the type of what `run` is given. */
export const guarded = <
  M extends Method,
  P extends string,
  B extends Fields,
  Q extends Fields,
  H extends Fields,
>(
  method: M,
  path: P,
  role: RequiredRole,
  route: GuardedDeclaration<InputOf<P, B, Q, H>, B, Q, H>,
): NamedRoute<M, P> => routeOf(method, path, role, route);
export const open = <
  M extends Method,
  P extends string,
  B extends Fields,
  Q extends Fields,
  H extends Fields,
>(
  method: M,
  path: P,
  route: Declaration<InputOf<P, B, Q, H>, B, Q, H>,
): NamedRoute<M, P> => routeOf(method, path, "NONE", route);
