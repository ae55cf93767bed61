import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { errorText, type HeaderFields, HttpError, jsonType } from "../protocol/error-response.ts";
import { connectNotSupported, parserRefusal, refusalText } from "../protocol/refusal.ts";
import { mostHeaders, readHead } from "../protocol/request-head.ts";
import { readTarget } from "../protocol/target.ts";

// An import statement would load Node's client for the web as well, which the service does not use.
const { createServer } = process.getBuiltinModule("node:http");

export interface OpsResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: HeaderFields;
}

type OpsPages = Readonly<Record<string, () => OpsResponse | Promise<OpsResponse>>>;

export const json = (status: number, content: object): OpsResponse => ({
  status,
  type: jsonType["Content-Type"],
  text: JSON.stringify(content),
});

const opsLimits = {
  /** A connection carries one request and lasts this long at most: that bounds every client, however slow. */
  lifetimeMilliseconds: 10_000,
  /** Further connections are closed at once. */
  connections: 100,
  headerBytes: 8 * 1024,
};

const standingHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Cross-Origin-Resource-Policy": "same-origin",
  Connection: "close",
};

/**
 * Serves a few pages for monitoring, on a port of its own and without authentication.
 *
 * @param failed is called with the cause when a page fails; the client gets a 500 without it
 */
export function makeOpsServer(
  pages: OpsPages,
  failed: (cause: unknown) => void,
  now: () => Date,
  limits = opsLimits,
) {
  const byPath = new Map(Object.entries(pages));
  // `readHead` checks the Host header, since Node would refuse without a body.
  const server = createServer({ maxHeaderSize: limits.headerBytes, requireHostHeader: false });
  // Node silently drops header fields past this count.
  server.maxHeadersCount = mostHeaders + 1;
  server.maxConnections = limits.connections;
  /** Connections with a response under way, which is their last. */
  const answered = new WeakSet<Socket>();

  server.on("connection", (socket: Socket) => {
    const lifetime = setTimeout(() => socket.destroy(), limits.lifetimeMilliseconds).unref();
    socket.once("close", () => clearTimeout(lifetime));
  });
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, respond);
  server.on("clientError", (error, socket: Socket) => refuse(socket, parserRefusal(error)));
  server.on("connect", (_: IncomingMessage, socket: Socket) => {
    // Node has taken its own listeners off: an error without one would end the process.
    socket.on("error", () => socket.destroy());
    refuse(socket, connectNotSupported());
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    answered.add(request.socket);
    const { status, type, text, headers = {} } = await pageFor(request).catch(responseTo);
    const typed = { "Content-Type": type, "Content-Length": Buffer.byteLength(text) };
    response.writeHead(status, { ...standingHeaders, ...typed, ...headers }).end(text);
  }

  /** Throws HttpError. */
  async function pageFor(request: IncomingMessage): Promise<OpsResponse> {
    readHead(request);
    const page = byPath.get(readTarget(request.url ?? "").path);
    if (page === undefined) throw new HttpError(404, "Not found");
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new HttpError(405, "Method not allowed", { Allow: "GET, HEAD" });
    return page();
  }

  function responseTo(error: unknown): OpsResponse {
    if (!(error instanceof HttpError)) failed(error);
    const shown = error instanceof HttpError ? error : new HttpError(500, "Internal server error");
    const { status, headers } = shown;
    return { status, headers, type: jsonType["Content-Type"], text: errorText(shown) };
  }

  /** Responds to what Node could not parse as a request. */
  function refuse(socket: Socket, error: HttpError): void {
    if (answered.has(socket) || !socket.writable) return;
    socket.end(refusalText(error, standingHeaders, now()));
  }

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for. */
    async listen(port: number, host: string): Promise<number> {
      server.listen(port, host);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    },

    /** Does not wait for clients. */
    async close(): Promise<void> {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
