import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { HttpError } from "../api/http-error.ts";
import { sendError, standingHeaders } from "../request/reply.ts";
import { makeRequestHandler, type ServedApi } from "../request/request-handler.ts";
import { requestIdOf } from "../request/request-id.ts";
import {
  type Connection,
  observe,
  openConnection,
  type PendingRequest,
  restartPace,
} from "./client-connection.ts";
import { type HttpLimits, httpLimits } from "./limits.ts";
import { judgePace } from "./pace.ts";
import {
  noTunnels,
  overloaded,
  type ParserError,
  parserRefusal,
  refusalText,
  tooManyConnections,
  tooSlow,
} from "./refusal.ts";

export interface HttpServer {
  /** Resolves to the port, which is chosen by the system when 0 is asked for. */
  listen(port: number, host: string): Promise<number>;
  /** Takes connections from a socket that is open already, under this descriptor; resolves to its port. */
  listenOn(descriptor: number): Promise<number>;
  /**
   * Takes no new connections, lets requests finish that are under way or arrive in the next moment, and ends whatever
   * is left after the grace period.
   */
  close(graceMilliseconds: number): Promise<void>;
  /** How much there is at this moment, for whoever watches over it. */
  load(): HttpLoad;
}

/** Open connections and requests under way now, and how many were turned away ever. */
export interface HttpLoad {
  readonly connections: number;
  readonly requests: number;
  readonly turnedAway: Readonly<Record<"requests" | "connections" | "slowClients", number>>;
}

const now = (): number => performance.now();

export function makeHttpServer(api: ServedApi, limits: HttpLimits = httpLimits): HttpServer {
  const { cors, events } = api;
  const handle = makeRequestHandler(api);
  const connections = new Map<Socket, Connection>();
  /** Requests under way. One that drips in is none yet: it costs little, and must not take the place of another. */
  let requests = 0;
  let draining = false;
  /** From here on a connection without a request is closed. */
  let farewellIsOver = false;
  const turnedAway = { requests: 0, connections: 0, slowClients: 0 };
  /** As of the last line in the log: a line for each would be a load of its own. */
  let logged = { ...turnedAway };

  // The preconditions check the Host header, since Node would refuse without a body.
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.receiveMilliseconds,
    requestTimeout: limits.receiveMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    connectionsCheckingInterval: limits.sweepMilliseconds,
    requireHostHeader: false,
  });
  server.maxConnections = limits.connections + limits.refusedConnections;
  // Node would drop those past a count without a word, and a second Authorization among them; the size is bound enough.
  server.maxHeadersCount = 0;

  server.on("connection", (socket: Socket) => {
    const connection = openConnection(socket, now());
    connections.set(socket, connection);
    socket.once("close", () => forget(connection));
    if (connections.size <= limits.connections) return;
    turnedAway.connections += 1;
    refuse(connection, tooManyConnections());
  });
  server.on("request", accept);
  // With a listener Node leaves the interim answer to whoever reads the body.
  server.on("checkContinue", accept);
  server.on("checkExpectation", accept);
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node has let go of the socket, its errors included, and no longer drives an answer under way.
    socket.on("error", () => socket.destroy());
    const connection = connections.get(socket);
    if (connection === undefined || connection.current !== undefined) {
      socket.destroy();
      return;
    }
    if (connection.state !== "refused") refuse(connection, noTunnels());
    socket.resume();
  });
  server.on("clientError", (error: ParserError, socket: Socket) => {
    const connection = connections.get(socket);
    if (connection === undefined || socket.errored !== null) socket.destroy();
    // What still comes after the last word is thrown away.
    else if (connection.state === "refused" || connection.state === "ending") return;
    else if (socket.writable) refuseInTurn(connection, parserRefusal(error));
    else socket.destroy();
  });

  /** Takes a request on, unless there are too many already. */
  function accept(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket);
    if (connection === undefined || connection.state === "ending" || connection.state === "refused") return;
    connection.state = "open";
    const { current, waiting } = connection;
    // A client that asks this far ahead is not listening, and is not read any further.
    const isTooFarAhead = current !== undefined && waiting.length + 1 >= limits.requestsPerConnection;
    if (isTooFarAhead || requests >= limits.requests) {
      shed(connection, request, response, isTooFarAhead);
      return;
    }
    const exchange: PendingRequest = { request, response, state: "arriving" };
    if (hasBody(request)) request.once("end", () => begin(exchange));
    else begin(exchange);
    if (current === undefined) start(connection, exchange);
    else waiting.push(exchange);
  }

  function begin(exchange: PendingRequest): void {
    if (exchange.state !== "arriving") return;
    exchange.state = "under way";
    requests += 1;
  }

  function finish(exchange: PendingRequest): void {
    if (exchange.state === "under way") requests -= 1;
    exchange.state = "over";
  }

  /** Before any work is done. */
  function shed(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    isLast: boolean,
  ): void {
    turnedAway.requests += 1;
    const headers = [...standingHeaders(requestIdOf(request)), ...cors.forOrigin(request.headers.origin)];
    const ends = isLast || draining || hasBody(request);
    if (ends) connection.state = "ending";
    if (isLast) connection.socket.pause();
    response.once("close", () => restartPace(connection, now()));
    sendError({ response, headers: ends ? [...headers, "Connection", "close"] : headers }, overloaded());
  }

  /**
   * Works on one request of a connection at a time (RFC 9112, section 9.3.2): an answer that cannot be sent yet would
   * be kept in memory, and Node would never say that its client has gone away.
   */
  function start(connection: Connection, exchange: PendingRequest): void {
    const { request, response } = exchange;
    connection.current = exchange;
    // Node would not read what follows a request to upgrade.
    if (draining || request.headers.upgrade !== undefined) response.setHeader("Connection", "close");
    const closed = new Promise<void>(resolve => {
      response.once("close", () => {
        resolve();
        proceed(connection);
      });
    });
    // The place is taken until the work has ended and the answer is out of memory.
    void Promise.all([handle(request, response), closed]).finally(() => finish(exchange));
  }

  /** What comes after an answer: the next request, the last word, or silence. */
  function proceed(connection: Connection): void {
    const { socket, waiting, refusal } = connection;
    connection.current = undefined;
    restartPace(connection, now());
    if (farewellIsOver) socket.destroySoon();
    // After an answer that closes the connection nothing counts that was sent on it.
    if (farewellIsOver || !socket.writable) return;
    const next = waiting.shift();
    if (next !== undefined) start(connection, next);
    else if (refusal !== undefined) refuse(connection, refusal);
  }

  /** Good requests before a bad one are answered first. */
  function refuseInTurn(connection: Connection, refusal: HttpError): void {
    const { socket, current, waiting } = connection;
    const newest = waiting.at(-1) ?? current;
    if (newest === undefined) refuse(connection, refusal);
    else if (newest !== current || newest.request.complete) {
      connection.state = "ending";
      connection.refusal = refusal;
      if (newest.request.complete) return;
      waiting.pop();
      finish(newest);
    }
    // The bad one is being worked on, and perhaps answered already.
    else if (newest.response.headersSent) socket.destroy();
    else refuse(connection, refusal);
  }

  /** The last word on a connection, which is still read for a moment: bytes left unread could keep it from arriving. */
  function refuse(connection: Connection, refusal: HttpError): void {
    const { socket } = connection;
    connection.state = "refused";
    if (socket.writable) socket.end(refusalText(refusal, cors.forOrigin(undefined)));
    restartPace(connection, now());
    if (refusal.status === 408) socket.destroySoon();
  }

  function forget({ socket, waiting }: Connection): void {
    connections.delete(socket);
    waiting.splice(0).forEach(finish);
  }

  /** Ends the connections whose clients are too slow. */
  function sweep(): void {
    for (const connection of connections.values()) {
      const verdict = judgePace(connection.pace, observe(connection), now(), limits);
      if (typeof verdict === "object") connection.pace = verdict;
      else if (verdict === "is done") connection.socket.destroy();
      else {
        turnedAway.slowClients += 1;
        if (verdict === "sends too slowly") refuse(connection, tooSlow());
        else connection.socket.destroy();
      }
    }
    const since = {
      requests: turnedAway.requests - logged.requests,
      connections: turnedAway.connections - logged.connections,
      slowClients: turnedAway.slowClients - logged.slowClients,
    };
    if (Object.values(since).every(count => count === 0)) return;
    events.warn("clients turned away", since);
    logged = { ...turnedAway };
  }

  let sweeping: NodeJS.Timeout | undefined;

  async function listen(where: { port: number; host: string } | { fd: number }): Promise<number> {
    server.listen(where);
    await once(server, "listening");
    sweeping = setInterval(sweep, limits.sweepMilliseconds).unref();
    return (server.address() as AddressInfo).port;
  }

  return {
    listen: (port, host) => listen({ port, host }),
    listenOn: descriptor => listen({ fd: descriptor }),

    async close(graceMilliseconds) {
      draining = true;
      // The close of node:http would cut off connections on which a request may be on its way.
      const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve));
      for (const { current } of connections.values()) {
        if (current?.response.headersSent === false) current.response.setHeader("Connection", "close");
      }
      const farewell = setTimeout(() => {
        farewellIsOver = true;
        for (const { socket, current } of connections.values()) if (current === undefined) socket.destroy();
      }, limits.farewellMilliseconds);
      const deadline = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, graceMilliseconds);
      await closed;
      clearTimeout(farewell);
      clearTimeout(deadline);
      clearInterval(sweeping);
    },

    load: () => ({ connections: connections.size, requests, turnedAway: { ...turnedAway } }),
  };
}

/** Whether something follows the header section (RFC 9112, section 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
