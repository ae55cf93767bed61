import type { Caller, RequestContext } from "../../../application/ports.ts";
import type { Fields, Values } from "../../../domain/field.ts";
import type { RequiredRole } from "../../../domain/role.ts";
import type { Preconditions } from "../../protocol/request-head.ts";
import { type Result, type RouteResult, responseOf, type WithHeaders } from "./result.ts";

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
interface Declaration<In, Content, Body, Query, Headers> {
  readonly result: Result<Content>;
  /** The query parameters that the route knows; it ignores others. */
  readonly query?: Query;
  readonly refusedQuery?: RefusedQuery;
  /** The header fields that the route knows, besides those of every request. */
  readonly headers?: Headers;
  /** The fields of the JSON body; a route without them does not read a body. */
  readonly body?: Body;
  /** Of the longest body; 64 KiB without it. */
  readonly bodyLimitBytes?: number;
  run(input: In): Promise<Content | WithHeaders<Content>> | Content | WithHeaders<Content>;
}

interface GuardedDeclaration<In, Content, Body, Query, Headers>
  extends Declaration<In & { readonly caller: Caller }, Content, Body, Query, Headers> {
  /** The `{id}` must be the caller's own; any other is 403 before the body is looked at. */
  readonly ownIdOnly?: true;
  /** The caller goes on record: a token without an employee is 401 here. */
  readonly recordsCaller?: true;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A declaration in its place, whatever it declares. `caller` is undefined on an open route, and there alone. */
export interface Route
  extends Omit<GuardedDeclaration<AnyInput, never, Fields, Fields, Fields>, "result" | "run"> {
  readonly method: Method;
  /** Literal segments, and at most one `{id}`: a decimal integer; a `{path}` at the end is all that follows. */
  readonly path: string;
  /** `NONE` needs no token: login, and nothing else. */
  readonly role: RequiredRole | "NONE";
  readonly result: Omit<Result<never>, "bodyOf" | "placeOf">;
  run(input: AnyInput & { readonly caller: Caller | undefined }): Promise<RouteResult>;
}

/** What a route asks for, as a list; none for an open route. */
export const rolesOf = (role: Route["role"]): string[] => (role === "NONE" ? [] : [role]);

/** A route whose type has its method and path. */
type NamedRoute<M, P> = Route & { readonly method: M; readonly path: P };

/** Method and path of a route, as the documents name it. */
export type KeyOf<R extends Route> =
  R extends NamedRoute<infer M extends Method, infer P extends string> ? `${M} ${P}` : never;

type AnyDeclaration = GuardedDeclaration<AnyInput, unknown, Fields, Fields, Fields>;

function routeOf<M extends Method, P extends string>(
  method: M,
  path: P,
  role: Route["role"],
  declaration: object,
): NamedRoute<M, P> {
  // The request handler fills in what the route declares (request-handler.ts).
  const route = declaration as AnyDeclaration;
  return {
    method,
    path,
    role,
    ...route,
    run: async input =>
      responseOf(
        route.result,
        method,
        input.preconditions,
        await route.run(input as typeof input & { caller: Caller }),
      ),
  };
}

/** Both tie what is declared to the types of what `run` is given and returns. */
export const guarded = <
  M extends Method,
  P extends string,
  T,
  B extends Fields,
  Q extends Fields,
  H extends Fields,
>(
  method: M,
  path: P,
  role: RequiredRole,
  route: GuardedDeclaration<InputOf<P, B, Q, H>, T, B, Q, H>,
): NamedRoute<M, P> => routeOf(method, path, role, route);
export const open = <
  M extends Method,
  P extends string,
  T,
  B extends Fields,
  Q extends Fields,
  H extends Fields,
>(
  method: M,
  path: P,
  route: Declaration<InputOf<P, B, Q, H>, T, B, Q, H>,
): NamedRoute<M, P> => routeOf(method, path, "NONE", route);
