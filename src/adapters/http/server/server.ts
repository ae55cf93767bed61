import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../../application/clock-and-log.ts";
import type { HeaderFields, HttpError } from "../../protocol/error-response.ts";
import { handleWith, listen } from "../../protocol/node-server.ts";
import { refusalText, requestTimeout } from "../../protocol/refusal.ts";
import { isLastReadable } from "../../protocol/request-head.ts";
import { Budget } from "../request/budget.ts";
import { type Edge, Exchange, standingHeaders } from "../request/exchange.ts";
import { type HttpLimits, httpLimits } from "../request/limits.ts";
import { type HandledApi, makeRequestHandler } from "../request/request-handler.ts";
import { Draining } from "./draining.ts";
import { HttpConnection } from "./http-connection.ts";
import { makeListener, renewIdentity, strictTransport } from "./listener.ts";
import type { TlsIdentity } from "./tls-identity.ts";

export type HttpServer = ReturnType<typeof makeHttpServer>;

export function makeHttpServer(
  api: HandledApi & Pick<Edge, "addressOf"> & { readonly clock: Pick<Clock, "now"> },
  limits: HttpLimits = httpLimits,
  identity?: TlsIdentity,
  server = makeListener(limits, identity),
) {
  const { cors, addressOf, events, clock } = api;
  const isSecure = identity !== undefined;
  const headersFor = (origin: string | undefined): HeaderFields =>
    isSecure ? { ...cors.forOrigin(origin), ...strictTransport } : cors.forOrigin(origin);
  /** Also connections whose client has gone, until the work for them has ended. */
  const connections = new Map<Socket, HttpConnection>();
  const sockets = new Set<Socket>();
  const budget = new Budget(limits, function* () {
    for (const { exchange } of connections.values()) if (exchange !== undefined) yield exchange.share;
  });
  const edge = { budget, addressOf, headersFor };
  const handle = makeRequestHandler(api);
  const draining = new Draining(server, { sockets, connections }, limits.drainMilliseconds);

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("drop", () => budget.turnAway("connections"));
  server.on(isSecure ? "secureConnection" : "connection", (socket: Socket) => {
    connections.set(socket, new HttpConnection(socket, limits.lingerMilliseconds, handle));
    socket.once("close", () => {
      if (connections.get(socket)?.exchange === undefined) connections.delete(socket);
    });
  });
  server.on("connect", (_: IncomingMessage, socket: Socket) => {
    // `handleWith` refuses CONNECT after this. Node has taken off its listener for `drain` too: a response under way would wait for ever.
    if (connections.get(socket)?.exchange !== undefined) socket.destroy();
  });
  handleWith(server, { respond: accept, refuse });
  // Nothing was sent or taken for long: usual between requests, but before the end of a response the client is slow.
  server.on("timeout", (socket: Socket) => {
    if (connections.get(socket)?.exchange !== undefined) budget.turnAway("slowClients");
    socket.destroy();
  });

  /** The head of a request has arrived. */
  function accept(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket);
    if (connection?.isIdle) void workOn(connection, new Exchange(request, response, edge));
    else connection?.end();
  }

  async function workOn(connection: HttpConnection, exchange: Exchange): Promise<void> {
    await connection.workOn(exchange, draining.hasBegun || isLastReadable(exchange.request));
    if (connection.socket.closed) connections.delete(connection.socket);
  }

  /** Node's parser has failed, a request or a handshake has not arrived in time, or the request is CONNECT: the connection ends. */
  function refuse(socket: Socket, refusal: HttpError): void {
    if (refusal.status === requestTimeout) budget.turnAway("slowClients");
    const connection = connections.get(socket);
    const standing = { ...standingHeaders(randomUUID()), ...headersFor(undefined) };
    // No connection: the TLS handshake has failed. Not writable: the connection lingers, or its client has gone.
    if (connection === undefined) socket.destroy();
    else if (socket.writable) connection.refuse(refusal, refusalText(refusal, standing, clock.now()));
  }

  const reporting = setInterval(() => {
    const turnedAway = budget.report();
    if (turnedAway !== undefined) events.warn("clients turned away", turnedAway);
  }, limits.sweepMilliseconds).unref();

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for. */
    listen: (port: number, host: string) => listen(server, { port, host }, limits.waitingConnections),
    /** Takes connections from a socket that is open already, under this descriptor; resolves to its port. */
    listenOn: (descriptor: number) => listen(server, { fd: descriptor }, limits.waitingConnections),
    /** Where it listens; null when it does not. */
    address: () => server.address() as AddressInfo | null,
    /** Lets requests finish that are under way or arrive in the next moment, and ends what is left after the grace period. */
    async close(graceMilliseconds: number): Promise<void> {
      await draining.drain(graceMilliseconds);
      clearInterval(reporting);
    },
    /** Shows clients that connect from now on another certificate; without TLS there is none. */
    renew: (newer: TlsIdentity) => renewIdentity(server, newer),
    load: () => ({ connections: sockets.size, ...budget.load() }),
  };
}
