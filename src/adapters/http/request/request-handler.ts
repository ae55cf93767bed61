import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authentication } from "../../../application/authentication.ts";
import type { RequestMeter } from "../../../application/figures.ts";
import type { EventLog, Origin } from "../../../application/ports.ts";
import { invalid } from "../../../domain/error.ts";
import { type Fields, readFields, type Values } from "../../../domain/field.ts";
import { HttpError, toHttpError } from "../api/http-error.ts";
import { bodyLimitBytes, type OpenRoute, type Route } from "../api/route.ts";
import { type Allowance, readBody } from "./body.ts";
import type { Cors } from "./cors.ts";
import { admit } from "./guard.ts";
import { refuseBadPreconditions } from "./preconditions.ts";
import { sendAnswer, sendError, sendPreflight, standingHeaders } from "./reply.ts";
import { requestIdOf } from "./request-id.ts";
import { makeRequestLog, type RequestDetails } from "./request-log.ts";
import { type Found, type FoundRoute, makeRouter } from "./router.ts";
import { isId, readHeaders, readId, readQuery, readTarget } from "./target.ts";

export interface ServedApi {
  readonly routes: readonly Route[];
  readonly authentication: Pick<Authentication, "identify">;
  readonly cors: Cors;
  /** The address of the client, as far as it can be known. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly events: EventLog;
  readonly meter?: RequestMeter | undefined;
}

/** A request, and its allowance of what all requests may take. */
interface RequestUnderWay {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly allowance: Allowance;
}

export type RequestHandler = (underWay: RequestUnderWay) => Promise<void>;

/** Responds to requests. Checks token, path and method, role, form of the id, and body, in this order; then runs the route. */
export function makeRequestHandler(api: ServedApi): RequestHandler {
  const { routes, authentication, cors, addressOf, events, meter } = api;
  const find = makeRouter(routes);
  const log = makeRequestLog(events, meter);

  async function run(underWay: RequestUnderWay, details: RequestDetails) {
    const { request } = underWay;
    refuseBadPreconditions(request);
    const target = readTarget(request.url ?? "");
    const found = find(details.method, target.path);
    if (!(found instanceof HttpError)) {
      details.route = found.route.path;
      if (found.id !== undefined && isId(found.id)) details.id = readId(found.id);
    }
    const queryOf = ({ query = {} }: Route) =>
      readQuery(query, target.query, names => log.ignored(details, names));
    const headersOf = (route: Route) => readHeaders(route.headers ?? {}, request.headers);
    const origin: Origin = { address: details.address, events: log.eventsOf(details) };

    if (isOpen(found)) {
      const { route } = found;
      const declared = { query: queryOf(route), headers: headersOf(route) };
      const body = route.body === undefined ? {} : await readBodyOf(route.body, route, underWay);
      const answer = await route.run({ id: undefined, path: undefined, ...declared, body, origin });
      return { status: route.status, answer };
    }
    const admitted = () => admit(authentication, request.headers.authorization, found, details);
    const { route, id, path, caller: first } = await admitted();
    const declared = { query: queryOf(route), headers: headersOf(route) };
    const needsNoWait = route.body === undefined || request.complete;
    const body = route.body === undefined ? {} : await readBodyOf(route.body, route, underWay);
    // A body may arrive slowly, and the token may end meanwhile.
    const caller = needsNoWait ? first : (await admitted()).caller;
    const answer = await route.run({ id, path, ...declared, body, origin, caller });
    return { status: route.status, answer };
  }

  return async underWay => {
    const { request, response, allowance } = underWay;
    const { method = "", headers: sent } = request;
    const details: RequestDetails = { requestId: requestIdOf(request), method, address: addressOf(request) };
    log.follow(details, response);
    const headers = standingHeaders(details.requestId).concat(cors.forOrigin(sent.origin));
    const reply = { response, headers, allowance };
    try {
      if (method === "OPTIONS") return sendPreflight(reply, cors.preflight);
      const { status, answer } = await run(underWay, details);
      await sendAnswer(reply, status, answer);
    } catch (failure) {
      const error = toHttpError(failure);
      log.explain(details, request, failure, error);
      if (response.headersSent) response.destroy();
      else sendError(reply, error);
    }
  };
}

const isOpen = (found: Found | HttpError): found is FoundRoute<OpenRoute> =>
  !(found instanceof HttpError) && found.route.role === "NONE";

async function readBodyOf(
  fields: Fields,
  route: Route,
  { request, response, allowance }: RequestUnderWay,
): Promise<Values<Fields>> {
  const limits = { bytes: route.bodyLimitBytes ?? bodyLimitBytes, hasToken: route.role !== "NONE" };
  const sent = await readBody(request, response, limits, allowance);
  if (sent === undefined) throw invalid("Request body must be a JSON object");
  return readFields(fields, sent);
}
