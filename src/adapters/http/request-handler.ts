import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authentication } from "../../application/authentication.ts";
import type { EventLog } from "../../application/ports.ts";
import { invalid, unauthorized } from "../../domain/error.ts";
import { readFields } from "../../domain/field.ts";
import { readBody } from "./body.ts";
import type { Cors } from "./cors.ts";
import { admit } from "./guard.ts";
import { HttpError, toHttpError } from "./http-error.ts";
import { sendContent, sendError, sendPreflight, standingHeaders } from "./reply.ts";
import type { Content, OpenRoute, Route } from "./route.ts";
import { type Found, type FoundRoute, makeRouter } from "./router.ts";
import { readId, readQuery, readTarget } from "./target.ts";

export interface Parts {
  readonly routes: readonly Route[];
  readonly authentication: Pick<Authentication, "identify">;
  readonly cors: Cors;
  readonly events: EventLog;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers requests: token, path and method, role, the id's form, body, and then what the route is there for. */
export function makeRequestHandler({ routes, authentication, cors, events }: Parts): RequestHandler {
  const find = makeRouter(routes);

  async function run(request: IncomingMessage, response: ServerResponse): Promise<[number, Content]> {
    refuseBadPreconditions(request);
    const target = readTarget(request.url ?? "");
    const found = find(request.method ?? "", target.path);

    if (isOpen(found)) {
      const input = await readInput(found.route, found.id, target.query, request, response);
      return [found.route.status, await found.route.run(input)];
    }
    const { route, id, caller } = await admit(authentication, request.headers.authorization, found);
    if (route.ownIdOnly === true && idOf(id) !== caller.employeeId) throw unauthorized();
    const input = await readInput(route, id, target.query, request, response);
    return [route.status, await route.run({ ...input, caller })];
  }

  return async (request, response) => {
    const requestId = requestIdOf(request);
    const headers = [...standingHeaders(requestId), ...cors.forOrigin(request.headers.origin)];
    try {
      if (request.method === "OPTIONS") return sendPreflight({ response, headers }, cors.preflight);
      const [status, content] = await run(request, response);
      await sendContent({ response, headers }, status, content);
    } catch (failure) {
      const error = toHttpError(failure);
      report(events, error, request, requestId);
      if (response.headersSent) response.destroy();
      else sendError({ response, headers: withClose(request, headers) }, error);
    }
  };
}

const isOpen = (found: Found | HttpError): found is FoundRoute<OpenRoute> =>
  !(found instanceof HttpError) && found.route.role === "NONE";

async function readInput(
  route: Route,
  id: string | undefined,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const input = { id: idOf(id), query: readQuery(route.query ?? {}, query), headers: request.headers };
  const sent = await readBody(request, response);
  if (route.body !== undefined && sent === undefined) throw invalid("Request body must be a JSON object");
  return { ...input, body: readFields(route.body ?? {}, sent ?? {}) };
}

const idOf = (id: string | undefined): number => (id === undefined ? 0 : readId(id));

/** What Node would check by itself, but refuse without a body (RFC 9112, section 3.2; RFC 9110, section 10.1.1). */
function refuseBadPreconditions({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion !== "1.0") throw new HttpError(400, "Host header is missing");
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    throw new HttpError(417, "Expectation cannot be met");
  }
}

const saneRequestId = /^[\w.:~+/=-]{1,128}$/;

function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && saneRequestId.test(sent) ? sent : randomUUID();
}

/** What is left unread of a request cannot be told from the next one. */
const withClose = (request: IncomingMessage, headers: readonly string[]): readonly string[] =>
  request.complete ? headers : [...headers, "Connection", "close"];

/** The cause of a failure goes to the log, and only there; of a driver's error nothing but its name and message. */
function report(events: EventLog, error: HttpError, request: IncomingMessage, requestId: string): void {
  if (error.status < 500) return;
  const { cause } = error;
  const { code } = (cause ?? {}) as { code?: unknown };
  const isGone = code === "ERR_STREAM_PREMATURE_CLOSE";
  const level = isGone ? "debug" : error.status === 503 ? "warn" : "error";
  events[level]("request failed", {
    requestId,
    method: request.method,
    path: request.url?.split("?")[0],
    status: error.status,
    cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
    code: typeof code === "string" ? code : undefined,
  });
}
