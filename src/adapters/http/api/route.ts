import type { Caller, RequestContext } from "../../../application/ports.ts";
import type { Fields, Values } from "../../../domain/field.ts";
import type { RequiredRole } from "../../../domain/role.ts";
import type { Preconditions } from "../../protocol/request-head.ts";
import type { expectationOf } from "./entity-tag.ts";
import type { RefusedQuery } from "./refused-query.ts";
import { type Result, type RouteResult, responseOf, type WithHeaders } from "./result.ts";

/** Of the longest body on a route that does not say otherwise. */
export const usualBodyLimitBytes = 64 * 1024;

interface Input<Id, Path, Who, Body extends Fields, Query extends Fields, Headers extends Fields> {
  /** The `{id}` of the path. */
  readonly id: Id;
  /** What the path has in place of `{path}`. */
  readonly path: Path;
  readonly caller: Who;
  readonly query: Values<Query>;
  readonly headers: Values<Headers>;
  readonly body: Values<Body>;
  /** Whether a record meets the preconditions of a change; undefined when the client has sent none. */
  readonly isExpected: ReturnType<typeof expectationOf>;
  readonly context: RequestContext;
}

type IdOf<Pattern> = Pattern extends `${string}{id}${string}` ? number : undefined;
type PathOf<Pattern> = Pattern extends `${string}{path}` ? string : undefined;
type CallerOf<R> = R extends "NONE" ? undefined : Caller;
type AnyInput = Input<number | undefined, string | undefined, Caller | undefined, Fields, Fields, Fields>;

/** The words of the documents about a route are in dev/api-docs/openapi/operations.ts. */
interface Declaration<In, Content, Body, Query, Headers> {
  readonly result: Result<Content>;
  /** The `{id}` must be the caller's own; any other is 403 before the body is looked at. */
  readonly ownIdOnly?: true;
  /** The caller goes on record: a token without an employee is 401 here. */
  readonly recordsCaller?: true;
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

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A declaration with its method, path and role, without the types of what it declares. */
export interface Route extends Omit<Declaration<AnyInput, never, Fields, Fields, Fields>, "result" | "run"> {
  readonly method: Method;
  /** Literal segments, and at most one `{id}`: a decimal integer; a `{path}` at the end is all that follows. */
  readonly path: string;
  /** `NONE` needs no token: login, and nothing else. */
  readonly role: RequiredRole | "NONE";
  readonly result: Omit<Result<never>, "bodyOf" | "locationOf">;
  run(input: AnyInput, preconditions: Preconditions): Promise<RouteResult>;
}

/** What a route asks for, as a list; none for an open route. */
export const rolesOf = (role: Route["role"]): string[] => (role === "NONE" ? [] : [role]);

/** A route whose type has its method and path. */
type NamedRoute<M, P> = Route & { readonly method: M; readonly path: P };

/** Method and path of a route, as the documents name it. */
export type KeyOf<R extends Route> =
  R extends NamedRoute<infer M extends Method, infer P extends string> ? `${M} ${P}` : never;

/** Ties what is declared to the types of what `run` is given and returns; only a route with a role is given a caller. */
export function route<
  M extends Method,
  P extends string,
  R extends Route["role"],
  T,
  B extends Fields,
  Q extends Fields,
  H extends Fields,
>(
  method: M,
  path: P,
  role: R,
  declared: Declaration<Input<IdOf<P>, PathOf<P>, CallerOf<R>, B, Q, H>, T, B, Q, H>,
): NamedRoute<M, P> {
  type Given = Parameters<typeof declared.run>[0];
  return {
    ...declared,
    method,
    path,
    role,
    // The request handler fills in what the route declares (request-handler.ts).
    run: async (input, preconditions) =>
      responseOf(declared.result, method, preconditions, await declared.run(input as Given)),
  };
}
