import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { HttpError } from "./http-error.ts";
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
  const latest = new WeakMap<Socket, ServerResponse>();
  let draining = false;

  // The handler checks the Host header itself, since Node would refuse without a body.
  const server = createServer({ ...limits, requireHostHeader: false }, (request, response) => {
    if (draining) response.setHeader("Connection", "close");
    latest.set(request.socket, response);
    void handle(request, response);
  });
  // With a listener Node leaves the interim answer to whoever reads the body.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = latest.get(socket);
    const isAnswering = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || isAnswering) socket.destroy();
    else refuseMalformed(error.code, socket);
  });

  return {
    async listen(port, host) {
      server.listen(port, host);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    },

    async close(graceMilliseconds) {
      draining = true;
      const deadline = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
      await new Promise(resolve => server.close(resolve));
      clearTimeout(deadline);
    },
  };
}

/** What Node's parser refuses has no response to go with, so the answer is written by hand. */
function refuseMalformed(code: string | undefined, socket: Socket): void {
  const { status, message } = parserError(code);
  const body = JSON.stringify({ status, msg: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    `X-Request-Id: ${randomUUID()}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
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
