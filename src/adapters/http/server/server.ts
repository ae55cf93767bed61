import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import { type HttpError, overloaded } from "../api/http-error.ts";
import { sendError, standingHeaders } from "../request/reply.ts";
import { makeRequestHandler, type ServedApi } from "../request/request-handler.ts";
import { requestIdOf } from "../request/request-id.ts";
import { makeAdmission } from "./admission.ts";
import { type Connection, endAfterResponse, mayTakeRequest } from "./client-connection.ts";
import { makeDraining } from "./draining.ts";
import { type HttpLimits, httpLimits } from "./limits.ts";
import { type Identity, makeListener, renewIdentity, strictTransport } from "./listener.ts";
import { isTimeout, type ParserError, parserRefusal, refusalText } from "./refusal.ts";

export type HttpServer = ReturnType<typeof makeHttpServer>;

export function makeHttpServer(api: ServedApi, limits: HttpLimits = httpLimits, identity?: Identity) {
  const { cors, events } = api;
  const handle = makeRequestHandler(api);
  const isSecure = identity !== undefined;
  const admission = makeAdmission(limits);
  const connections = new Map<Socket, Connection>();
  /** Those of the network: with TLS they are there before there is a connection that HTTP knows of. */
  const sockets = new Set<Socket>();
  const server = makeListener(limits, identity);
  const draining = makeDraining(server, sockets, connections, limits.farewellMilliseconds);

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("drop", () => admission.turnAway("connections"));
  server.on(isSecure ? "secureConnection" : "connection", (socket: Socket) => {
    connections.set(socket, { socket, newest: undefined, underWay: 0, isEnding: false });
    socket.once("close", () => connections.delete(socket));
    // With TLS a reset can look like the client's end: the response would then be in flight for `takeMilliseconds`.
    if (isSecure) socket.once("end", () => socket.setTimeout(limits.lingerMilliseconds));
  });
  server.on("request", accept);
  // With a listener Node leaves the interim response to the reader of the body (body.ts).
  server.on("checkContinue", accept);
  server.on("checkExpectation", accept);
  server.on("clientError", (error: ParserError, socket: Socket) => {
    if (isTimeout(error)) admission.turnAway("slowClients");
    const connection = connections.get(socket);
    if (connection === undefined) socket.destroy();
    else refuse(connection, parserRefusal(error));
  });
  // Nothing was sent or taken for long: after a response that is usual, before its end it is a slow client.
  server.on("timeout", (socket: Socket) => {
    if (connections.get(socket)?.underWay !== 0) admission.turnAway("slowClients");
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
    if (mayTakeRequest(connection)) start(connection, request, response);
    else endAfterResponse(connection);
  }

  /** Handles a request, unless there are too many already. */
  function start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.newest = response;
    connection.underWay += 1;
    const allowance = admission.openRequest();
    // The allowance is taken until the work has ended and the response is out of memory.
    let holders = 2;
    const letGo = (): void => {
      holders -= 1;
      if (holders === 0) allowance?.end();
    };
    response.once("close", () => {
      letGo();
      connection.underWay -= 1;
      if (connection.underWay > 0) return;
      if (connection.isEnding) linger(request.socket);
      else if (draining.farewellIsOver) request.socket.end(() => request.socket.destroy());
    });
    // Node would not read what follows a request to upgrade.
    if (draining.hasBegun || request.headers.upgrade !== undefined) response.setHeader("Connection", "close");
    if (isSecure) response.setHeader(...strictTransport);
    if (allowance !== undefined) return void handle({ request, response, allowance }).then(letGo);
    const headers = [...standingHeaders(requestIdOf(request)), ...cors.forOrigin(request.headers.origin)];
    sendError({ response, headers }, overloaded());
  }

  /** The last response on a connection, where Node has made none for it. */
  function refuse(connection: Connection, refusal: HttpError): void {
    const { socket, newest, underWay } = connection;
    // It has been refused already.
    if (!socket.writable) return;
    const current = underWay > 0 ? newest : undefined;
    if (current?.req.complete === true) {
      // What is malformed follows a good request.
      endAfterResponse(connection);
    } else if (current?.headersSent === true) {
      // A second response would be read as a part of the one that has begun.
      socket.destroy();
    } else {
      const transport = isSecure ? strictTransport : [];
      linger(socket, refusalText(refusal, [...transport, ...cors.forOrigin(undefined)]));
    }
  }

  /** Closing a socket with unread bytes resets it, and the client might lose the response (RFC 9112, section 9.6). */
  function linger(socket: Socket, last = ""): void {
    if (socket.writable) socket.end(last);
    setTimeout(() => socket.destroy(), limits.lingerMilliseconds).unref();
  }

  let reporting: NodeJS.Timeout | undefined;

  async function listen(where: ListenOptions | { fd: number }): Promise<number> {
    // Node asks for a queue of 511 otherwise, also for a socket of systemd that has a longer one.
    server.listen({ ...where, backlog: limits.waitingConnections });
    await once(server, "listening");
    reporting = setInterval(() => {
      const turnedAway = admission.report();
      if (turnedAway !== undefined) events.warn("clients turned away", turnedAway);
    }, limits.sweepMilliseconds).unref();
    return (server.address() as AddressInfo).port;
  }

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for. */
    listen: (port: number, host: string) => listen({ port, host }),
    /** Takes connections from a socket that is open already, under this descriptor; resolves to its port. */
    listenOn: (descriptor: number) => listen({ fd: descriptor }),
    /** Lets requests finish that are under way or arrive in the next moment, and ends what is left after the grace period. */
    async close(graceMilliseconds: number): Promise<void> {
      await draining.drain(graceMilliseconds);
      clearInterval(reporting);
    },
    /** Shows clients that connect from now on another certificate; without TLS there is none. */
    renew: (newer: Identity) => renewIdentity(server, newer),
    load: () => ({ connections: sockets.size, ...admission.load() }),
  };
}
