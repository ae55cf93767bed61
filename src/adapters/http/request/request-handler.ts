import type { EventLog } from "../../../application/clock-and-log.ts";
import type { RequestMeter } from "../../../application/figures.ts";
import type { Sessions } from "../../../application/sessions.ts";
import { readFields } from "../../../domain/field.ts";
import { HttpError } from "../../protocol/error-response.ts";
import { readHead } from "../../protocol/request-head.ts";
import { expectationOf } from "../api/entity-tag.ts";
import type { RouteResult } from "../api/result.ts";
import { type Route, usualBodyLimitBytes } from "../api/route.ts";
import { toHttpError } from "../api/status-of-error.ts";
import { parseBody, receiveBody } from "./body.ts";
import type { Cors } from "./cors.ts";
import type { Exchange } from "./exchange.ts";
import { authorize, checkPreconditionsWithoutTag, identify } from "./guard.ts";
import { readHeaders, readId, readQuery } from "./parameters.ts";
import { makeRequestLog } from "./request-log.ts";
import { ClientGone, sendError, sendResult } from "./response.ts";
import { makeRouter } from "./router.ts";

export interface HandledApi {
  readonly routes: readonly Route[];
  readonly sessions: Pick<Sessions, "identify">;
  readonly cors: Cors;
  readonly events: EventLog;
  readonly meter?: RequestMeter | undefined;
}

/** Works on exchanges: each gets a response. */
export function makeRequestHandler(api: HandledApi): (exchange: Exchange) => Promise<void> {
  const { routes, sessions, cors, events, meter } = api;
  const find = makeRouter(routes);
  const log = makeRequestLog(events, meter);

  /** All checks of a request in the order of docs/reference.md (Access), and then what it asks for. */
  async function run(exchange: Exchange): Promise<RouteResult> {
    const { request, target, share } = exchange;
    share.work();
    const head = readHead(request);
    if (exchange.method === "OPTIONS") return { status: 200, headers: cors.preflight };
    const found = find(exchange.method, target.path);
    if (!(found instanceof HttpError)) {
      exchange.route = found.route;
      exchange.recordId = found.id === undefined ? undefined : readId(found.id);
    }
    await identifyCaller(exchange);
    if (found instanceof HttpError) throw found;

    authorize(found, exchange);
    const { route } = found;
    const query = readQuery(route.query ?? {}, target.query, route.refusedQuery);
    const headers = readHeaders(route.headers ?? {}, request.headers);

    checkPreconditionsWithoutTag(route, head);
    if (exchange.refusal !== undefined) throw exchange.refusal;
    const limitBytes = route.bodyLimitBytes ?? usualBodyLimitBytes;
    const body =
      route.body && readFields(route.body, parseBody(await receiveBody(exchange, head, limitBytes)));
    // From here on the place counts for the employee. `receiveBody` has given it back where the body was still to come: the token may
    // have ended meanwhile.
    const hasWaited = !share.hasPlace;
    share.work();
    if (hasWaited) {
      await identifyCaller(exchange);
      authorize(found, exchange);
    }
    const { recordId: id, caller, address } = exchange;
    const context = { address, events: log.eventsOf(exchange) };
    const isExpected = expectationOf(head);
    const input = { id, path: found.path, caller, query, headers, body: body ?? {}, isExpected, context };
    return await route.run(input, head);
  }

  /** On every path but that of an open route, on unknown ones too. */
  async function identifyCaller(exchange: Exchange): Promise<void> {
    const { route, request } = exchange;
    if (route?.role === "NONE") return;
    exchange.caller = await identify(sessions, request.headers.authorization, route?.recordsCaller);
  }

  return async exchange => {
    void log.follow(exchange);
    try {
      await sendResult(exchange, await run(exchange));
    } catch (failure) {
      const error = toHttpError(failure);
      log.explain(exchange, failure, error);
      if (!exchange.response.headersSent) return await sendError(exchange, error);
      exchange.hasFailed ||= !(failure instanceof ClientGone);
      exchange.response.destroy();
    }
  };
}
