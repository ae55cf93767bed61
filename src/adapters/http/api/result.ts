import type { Authentication } from "../../../application/authentication.ts";
import type { ChunkedList, JsonList } from "../../../application/json-list.ts";
import type { PublishedTrail } from "../../../application/trail/publishing.ts";
import type { Asset } from "../../../domain/asset.ts";
import type { Employee } from "../../../domain/employee.ts";
import type { MaintenanceLog } from "../../../domain/maintenance-log.ts";
import { type HeaderFields, jsonType } from "../../protocol/error-response.ts";
import type { Preconditions } from "../../protocol/request-head.ts";
import { isMatched, tagOf } from "./entity-tag.ts";

/** What routes send, by the name that it has in documents. */
export interface Records {
  readonly Employee: Employee;
  readonly Asset: Asset;
  readonly MaintenanceLog: MaintenanceLog;
  readonly LoginResult: Awaited<ReturnType<Authentication["logIn"]>>;
  readonly TrailHead: Awaited<ReturnType<PublishedTrail["head"]>>["head"];
  readonly TrailEntry: { readonly index: number; readonly entry: object };
  readonly Welcome: { readonly message: string };
  readonly RouteOverview: {
    readonly method: string;
    readonly path: string;
    readonly roles: readonly string[];
  };
  readonly OpenApiDocument: object;
}
export type RecordName = keyof Records;

/** A record, several of them, or another media type. */
type Kind = { readonly one: RecordName } | { readonly listOf: RecordName } | { readonly type: string };
type Body = string | Uint8Array | ChunkedList;

/** A response of success as the client gets it. */
export interface RouteResult {
  readonly status: number;
  readonly headers: HeaderFields;
  /** The whole text or its bytes, or a list in chunks; none goes with a 204 or a 304. */
  readonly body?: Body | undefined;
}

/** What a route sends with success, declared once: what `run` returns, status, headers, 304 and documents follow. */
export interface Result<T> {
  readonly status: 200 | 201 | 204;
  /** What the body is; none with 204. */
  readonly kind?: Kind;
  /**
   * What the route reads or changes has an entity tag. The tag of what is read is compared here. A route that changes something hands
   * its `isExpected` to its use case: nothing else compares it.
   */
  readonly isTagged?: true;
  readonly bodyOf: (content: T) => Body | undefined;
  /** Where a record that was made can be read, as a reference relative to the address of the request. */
  readonly locationOf?: (content: T) => string;
}

const success = <T>(kind: Kind, bodyOf: Result<T>["bodyOf"]): Result<T> => ({ status: 200, kind, bodyOf });
const asItIs = <T extends Body>(content: T): T => content;

export const one = <Name extends RecordName>(name: Name) =>
  success<Records[Name]>({ one: name }, JSON.stringify);
/** A record whose text was made before. */
export const madeText = (name: RecordName) => success<string>({ one: name }, asItIs);
export const listOf = <Name extends RecordName>(name: Name) =>
  success<JsonList<Records[Name]>>({ listOf: name }, asItIs);
/** All of them, which are few. */
export const all = <Name extends RecordName>(name: Name) =>
  success<readonly Records[Name][]>({ listOf: name }, JSON.stringify);
export const plainText = success<string>({ type: "text/plain; charset=utf-8" }, asItIs);
export const bytes = success<Uint8Array | ChunkedList>({ type: "application/octet-stream" }, asItIs);
export const noContent: Result<void> = { status: 204, bodyOf: () => undefined };

export const tagged = <T>(result: Result<T>): Result<T> => ({ ...result, isTagged: true });

export const created = <T>(result: Result<T>, locationOf: (content: T) => string): Result<T> => ({
  ...result,
  status: 201,
  locationOf,
});

/** Content with header fields that only the route knows. */
export class WithHeaders<T> {
  readonly content: T;
  readonly headers: HeaderFields;

  constructor(content: T, headers: HeaderFields) {
    this.content = content;
    this.headers = headers;
  }
}

/**
 * The response with this content, or a 304 if the client has it already (RFC 9110, sections 13.1 and 13.2.2).
 *
 * @param method of the route
 * @throws CHANGED when `If-Match` names other content than was read
 */
export function responseOf<T>(
  { status, kind, isTagged, bodyOf, locationOf }: Result<T>,
  method: string,
  preconditions: Preconditions,
  found: T | WithHeaders<T>,
): RouteResult {
  const [content, own] = found instanceof WithHeaders ? [found.content, found.headers] : [found, undefined];
  const body = bodyOf(content);
  const tag = isTagged && typeof body === "string" ? tagOf(body) : undefined;
  if (tag !== undefined && method === "GET" && isMatched(preconditions, tag))
    return { status: 304, headers: { ETag: tag } };
  const headers = {
    ...(kind && ("type" in kind ? { "Content-Type": kind.type } : jsonType)),
    ...(locationOf && { Location: locationOf(content) }),
    ...own,
    ...(tag && { ETag: tag }),
  };
  return { status, headers, body };
}
