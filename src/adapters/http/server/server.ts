import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import { type HttpError, overloaded } from "../api/http-error.ts";
import { sendError, standingHeaders } from "../request/reply.ts";
import { makeRequestHandler, type ServedApi } from "../request/request-handler.ts";
import { requestIdOf } from "../request/request-id.ts";
import { makeAdmission } from "./admission.ts";
import {
  boundChunks,
  type Connection,
  endAfterAnswer,
  endConnection,
  observe,
  openConnection,
  type RequestAndResponse,
  restartPace,
} from "./client-connection.ts";
import { makeDraining } from "./draining.ts";
import { type HttpLimits, httpLimits } from "./limits.ts";
import { type Identity, makeListener, renewIdentity, strictTransport } from "./listener.ts";
import { judgePace } from "./pace.ts";
import {
  noTunnels,
  type ParserError,
  parserRefusal,
  refusalText,
  tooManyChunks,
  tooManyConnections,
  tooSlow,
} from "./refusal.ts";
import { keepTickObject } from "./tick-object.ts";

export type HttpServer = ReturnType<typeof makeHttpServer>;

const now = (): number => performance.now();

export function makeHttpServer(api: ServedApi, limits: HttpLimits = httpLimits, identity?: Identity) {
  keepTickObject();
  const { cors, events } = api;
  const handle = makeRequestHandler(api);
  const isSecure = identity !== undefined;
  const mostConnections = isSecure ? limits.tlsConnections : limits.connections;
  const admission = makeAdmission({ ...limits, connections: mostConnections });
  const connections = new Map<Socket, Connection>();

  const server = makeListener(limits, identity);
  const transportHeaders = isSecure ? strictTransport : [];
  server.maxConnections = mostConnections + limits.refusedConnections;
  /** Those of the network: with TLS they are there before there is a connection that HTTP knows of. */
  const sockets = new Set<Socket>();
  const draining = makeDraining(server, sockets, () => connections.values(), limits.farewellMilliseconds);

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    const isAdmitted = admission.openConnection();
    socket.once("close", () => {
      sockets.delete(socket);
      admission.closeConnection();
    });
    if (isSecure) {
      // To say so would take a handshake, which costs more than a request.
      if (!isAdmitted) socket.destroy();
      return;
    }
    const connection = open(socket);
    if (!isAdmitted) refuse(connection, tooManyConnections());
  });
  if (isSecure) server.on("secureConnection", open);
  server.on("request", accept);
  // With a listener Node leaves the interim answer to the reader of the body (body.ts).
  server.on("checkContinue", accept);
  server.on("checkExpectation", accept);
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node has let go of the socket, its errors included, and no longer drives an answer under way.
    socket.on("error", () => socket.destroy());
    const connection = connections.get(socket);
    if (connection === undefined || connection.current !== undefined) socket.destroy();
    else refuse(connection, noTunnels());
  });
  server.on("clientError", (error: ParserError, socket: Socket) => {
    const connection = connections.get(socket);
    if (connection === undefined || socket.errored !== null || !socket.writable) socket.destroy();
    else if (connection.state !== "ending") refuseMalformed(connection, parserRefusal(error));
  });

  function open(socket: Socket): Connection {
    const connection = openConnection(socket, now());
    connections.set(socket, connection);
    socket.once("close", () => connections.delete(socket));
    // Node calls this after the last answer of a connection, and would not wait until the client has read it.
    socket.destroySoon = () => endConnection(connection, now());
    return connection;
  }

  /**
   * Works on one request of a connection at a time. A client that sends the next one without waiting for the answer
   * gets that answer only, and has to send the others again on another connection (RFC 9112, section 9.3.2): kept, they
   * would take memory that nothing bounds, and Node reads none of them apart from the rest.
   */
  function accept(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket);
    if (connection === undefined || connection.state === "ended") return;
    boundChunks(request, limits.chunks, () => {
      // An answer that comes before the whole body closes the connection.
      if (!response.headersSent) refuseMalformed(connection, tooManyChunks(limits.chunks));
    });
    const { current, next } = connection;
    if (current === undefined) {
      start(connection, { request, response });
    } else if (current.response.writableEnded && next === undefined) {
      // The answer may have reached the client before Node reports that it was sent.
      connection.next = { request, response };
    } else {
      endAfterAnswer(connection);
    }
  }

  /** Answers a request, unless there are too many already. */
  function start(connection: Connection, pair: RequestAndResponse): void {
    const { request, response } = pair;
    if (connection.state === "new") connection.state = "open";
    connection.current = pair;
    const share = admission.openRequest();
    // The share is taken until the work has ended and the answer is out of memory.
    let underWay = 2;
    const endOne = (): void => {
      underWay -= 1;
      if (underWay === 0) share?.end();
    };
    response.on("close", () => {
      endOne();
      proceed(connection);
    });
    // Node would not read what follows a request to upgrade.
    const isLast =
      draining.hasBegun || connection.state === "ending" || request.headers.upgrade !== undefined;
    if (isLast) response.setHeader("Connection", "close");
    if (isSecure) response.setHeader(...strictTransport);
    if (share === undefined) shed(pair);
    else void handle({ request, response, share }).then(endOne);
  }

  /** Before any work is done. */
  function shed({ request, response }: RequestAndResponse): void {
    const headers = [...standingHeaders(requestIdOf(request)), ...cors.forOrigin(request.headers.origin)];
    sendError(
      { response, headers: hasBody(request) ? [...headers, "Connection", "close"] : headers },
      overloaded(),
    );
  }

  /** After an answer has been sent. */
  function proceed(connection: Connection): void {
    const { socket, state, next } = connection;
    connection.current = undefined;
    connection.next = undefined;
    restartPace(connection, now());
    // After an answer that closes the connection nothing counts that was sent on it.
    if (!socket.writable || state === "ended") return;
    if (next !== undefined && !draining.farewellIsOver) start(connection, next);
    else if (state === "ending" || draining.farewellIsOver) endConnection(connection, now());
  }

  /** What is malformed may follow a good request, which is answered first, or be the rest of one. */
  function refuseMalformed(connection: Connection, refusal: HttpError): void {
    const { socket, current, next } = connection;
    if (current === undefined) refuse(connection, refusal);
    else if (next !== undefined || current.request.complete) endAfterAnswer(connection);
    // Its answer has begun: a second one would be read as a part of it.
    else if (current.response.headersSent) socket.destroy();
    else refuse(connection, refusal);
  }

  /** The last answer on a connection, where Node has made no response for it. */
  function refuse(connection: Connection, refusal: HttpError): void {
    endConnection(
      connection,
      now(),
      refusalText(refusal, [...transportHeaders, ...cors.forOrigin(undefined)]),
    );
  }

  /** Ends the connections whose clients are too slow. */
  function sweep(): void {
    for (const connection of connections.values()) {
      const verdict = judgePace(connection.pace, observe(connection), now(), limits);
      if (typeof verdict === "object") connection.pace = verdict;
      else if (verdict === "is done") connection.socket.destroy();
      else {
        admission.countSlowClient();
        if (verdict === "sends too slowly") refuse(connection, tooSlow());
        else connection.socket.destroy();
      }
    }
    const turnedAway = admission.report();
    if (turnedAway !== undefined) events.warn("clients turned away", turnedAway);
  }

  let sweeping: NodeJS.Timeout | undefined;

  async function listen(where: ListenOptions | { fd: number }): Promise<number> {
    // Node asks for a queue of 511 otherwise, also for a socket of systemd that has a longer one.
    server.listen({ ...where, backlog: limits.waitingConnections });
    await once(server, "listening");
    sweeping = setInterval(sweep, limits.sweepMilliseconds).unref();
    return (server.address() as AddressInfo).port;
  }

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for; other processes can share it if told so. */
    listen: (port: number, host: string, reusePort = false) => listen({ port, host, reusePort }),
    /** Takes connections from a socket that is open already, under this descriptor; resolves to its port. */
    listenOn: (descriptor: number) => listen({ fd: descriptor }),
    /**
     * Takes no new connections, lets requests finish that are under way or arrive in the next moment, and ends whatever
     * is left after the grace period.
     */
    async close(graceMilliseconds: number): Promise<void> {
      await draining.drain(graceMilliseconds);
      clearInterval(sweeping);
    },
    /** Shows clients that connect from now on another certificate; without TLS there is none. */
    renew: (newer: Identity) => renewIdentity(server, newer),
    load: admission.load,
  };
}

/** Whether something follows the header section (RFC 9112, section 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
