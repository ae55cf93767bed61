import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import type { HeaderFields, HttpError } from "../../protocol/error-response.ts";
import {
  connectNotSupported,
  isTimeout,
  type ParserError,
  parserRefusal,
  refusalText,
} from "../../protocol/refusal.ts";
import { endsConnection } from "../../protocol/request-head.ts";
import { overloaded } from "../api/http-error.ts";
import { Admission } from "../request/admission.ts";
import { Exchange, standingHeaders } from "../request/exchange.ts";
import { ListMemory } from "../request/list-memory.ts";
import { makeRequestHandler, type ServedApi } from "../request/request-handler.ts";
import { sendError } from "../request/response.ts";
import { Draining } from "./draining.ts";
import { HttpConnection } from "./http-connection.ts";
import { type HttpLimits, httpLimits } from "./limits.ts";
import { makeListener, renewIdentity, strictTransport, type TlsIdentity } from "./listener.ts";

export type HttpServer = ReturnType<typeof makeHttpServer>;

export function makeHttpServer(api: ServedApi, limits: HttpLimits = httpLimits, identity?: TlsIdentity) {
  const { cors, addressOf, events, clock } = api;
  const isSecure = identity !== undefined;
  const headersFor = (origin: string | undefined): HeaderFields =>
    isSecure ? { ...cors.forOrigin(origin), ...strictTransport } : cors.forOrigin(origin);
  const admission = new Admission(limits);
  const lists = new ListMemory(limits, admission, () =>
    [...connections.values()].flatMap(({ newest }) => newest ?? []),
  );
  const { lingerMilliseconds } = limits;
  const edge = { admission, lists, addressOf, headersFor, lingerMilliseconds };
  const handle = makeRequestHandler(api);
  const connections = new Map<Socket, HttpConnection>();
  /** Those of the network: with TLS they are there before there is a connection that HTTP knows of. */
  const sockets = new Set<Socket>();
  const server = makeListener(limits, identity);
  const draining = new Draining(server, sockets, connections, limits.drainMilliseconds);

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("drop", () => admission.turnAway("connections"));
  server.on(isSecure ? "secureConnection" : "connection", (socket: Socket) => {
    connections.set(socket, new HttpConnection(socket, lingerMilliseconds));
    socket.once("close", () => connections.delete(socket));
    // With TLS a reset can look like the client's end: the response would then be in flight for `takeMilliseconds`.
    if (isSecure) socket.once("end", () => socket.setTimeout(lingerMilliseconds));
  });
  server.on("request", accept);
  // With a listener Node leaves the interim response to the reader of the body (body.ts).
  server.on("checkContinue", accept);
  server.on("checkExpectation", accept);
  server.on("clientError", (error: ParserError, socket: Socket) => {
    if (isTimeout(error)) admission.turnAway("slowClients");
    refuse(socket, parserRefusal(error));
  });
  server.on("connect", (_: IncomingMessage, socket: Socket) => {
    // Node has taken its own listeners off: an error without one would end the process, and a list under way would wait for ever.
    socket.on("error", () => socket.destroy());
    if (connections.get(socket)?.isBusy !== false) socket.destroy();
    else refuse(socket, connectNotSupported());
  });
  // Nothing was sent or taken for long: after a response that is usual, before its end it is a slow client.
  server.on("timeout", (socket: Socket) => {
    if (connections.get(socket)?.isBusy !== false) admission.turnAway("slowClients");
    socket.destroy();
  });

  /**
   * Works on one request of a connection at a time. A client that sends the next one without waiting for the response
   * gets that response only, and has to send the others again on another connection (RFC 9112, section 9.3.2): kept, they
   * would take memory that nothing bounds.
   */
  function accept(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket);
    if (connection === undefined || !request.socket.writable) return;
    if (connection.mayTakeRequest) void serve(connection, request, response);
    else connection.endAfterResponse();
  }

  /** From the head of a request until its response is out of memory and nobody works on it. */
  async function serve(connection: HttpConnection, request: IncomingMessage, response: ServerResponse) {
    const exchange = new Exchange(request, response, edge);
    void connection.take(exchange).then(() => draining.closeIfIdle(connection));
    if (draining.hasBegun || endsConnection(request)) connection.announceEnd();
    // Without a throw, which nobody would catch here.
    const isAdmitted = admission.enter(exchange, "checking");
    await (isAdmitted ? handle(exchange) : sendError(exchange, overloaded()));
    await exchange.responseClosed;
    exchange.enter("closed");
  }

  /** The last response on a connection, where Node has made no request. */
  function refuse(socket: Socket, refusal: HttpError): void {
    const connection = connections.get(socket);
    const standing = { ...standingHeaders(randomUUID()), ...headersFor(undefined) };
    if (connection === undefined) socket.destroy();
    // Otherwise it has been refused already.
    else if (socket.writable) connection.refuse(refusalText(refusal, standing, clock.now()));
  }

  const reporting = setInterval(() => {
    const turnedAway = admission.report();
    if (turnedAway !== undefined) events.warn("clients turned away", turnedAway);
  }, limits.sweepMilliseconds).unref();

  async function listen(where: ListenOptions | { fd: number }): Promise<number> {
    const { waitingConnections: backlog } = limits;
    // Node asks for a queue of 511 otherwise, also for a socket of systemd that has a longer one: there it takes the second argument.
    server.listen({ ...where, backlog }, backlog);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for. */
    listen: (port: number, host: string) => listen({ port, host }),
    /** Takes connections from a socket that is open already, under this descriptor; resolves to its port. */
    listenOn: (descriptor: number) => listen({ fd: descriptor }),
    /** Where it listens; null when it does not. */
    address: () => server.address() as AddressInfo | null,
    /** Lets requests finish that are under way or arrive in the next moment, and ends what is left after the grace period. */
    async close(graceMilliseconds: number): Promise<void> {
      await draining.drain(graceMilliseconds);
      clearInterval(reporting);
    },
    /** Shows clients that connect from now on another certificate; without TLS there is none. */
    renew: (newer: TlsIdentity) => renewIdentity(server, newer),
    load: () => ({ connections: sockets.size, ...admission.load() }),
  };
}
