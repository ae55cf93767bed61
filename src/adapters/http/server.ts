import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { HttpError } from "./http-error.ts";
import { jsonType, standingHeaders } from "./reply.ts";
import { makeRequestHandler, type Parts } from "./request-handler.ts";

export interface HttpServer {
  /** Resolves to the port, which is chosen by the system when 0 is asked for. */
  listen(port: number, host: string): Promise<number>;
  /** Takes no new requests, lets those under way finish, and ends whatever is left after the grace period. */
  close(graceMilliseconds: number): Promise<void>;
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

export function makeHttpServer(parts: Parts): HttpServer {
  const handle = makeRequestHandler(parts);
  /** Every open connection, with its latest response. */
  const connections = new Map<Socket, ServerResponse | undefined>();
  let draining = false;

  // The handler checks the Host header itself, since Node would refuse without a body.
  const server = createServer({ ...limits, requireHostHeader: false }, (request, response) => {
    const { socket } = request;
    connections.set(socket, response);
    if (draining) response.setHeader("Connection", "close");
    response.once("close", () => {
      if (draining) socket.destroySoon();
    });
    void handle(request, response);
  });
  server.on("connection", (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once("close", () => connections.delete(socket));
  });
  // With a listener Node leaves the interim answer to whoever reads the body.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = connections.get(socket);
    const refuse = () => refuseMalformed(error.code, socket, parts.cors.forOrigin(undefined));
    if (!isUnderWay(response)) refuse();
    // A good request before the bad one is answered first.
    else if (response.req.complete) response.once("close", refuse);
    else if (response.headersSent) socket.destroy();
    else refuse();
  });

  return {
    async listen(port, host) {
      server.listen(port, host);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    },

    async close(graceMilliseconds) {
      draining = true;
      const closed = new Promise(resolve => server.close(resolve));
      for (const [socket, response] of connections) {
        if (!isUnderWay(response)) socket.destroy();
        else if (!response.headersSent) response.setHeader("Connection", "close");
      }
      const deadline = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
      await closed;
      clearTimeout(deadline);
    },
  };
}

const isUnderWay = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined && !response.writableFinished && !response.destroyed;

/** What Node's parser refuses has no response to go with, so the answer is written by hand. */
function refuseMalformed(code: string | undefined, socket: Socket, more: readonly string[]): void {
  if (!socket.writable) return void socket.destroy();
  const { status, message } = parserError(code);
  const body = JSON.stringify({ status, msg: message });
  const headers = [
    ...standingHeaders(randomUUID()),
    ...more,
    "Connection",
    "close",
    ...jsonType,
    "Content-Length",
    String(Buffer.byteLength(body)),
  ];
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}`] : []));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

function parserError(code: string | undefined): HttpError {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HttpError(431, "Request header fields are too large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new HttpError(408, "Request took too long");
    default:
      return new HttpError(400, "Malformed HTTP request");
  }
}
