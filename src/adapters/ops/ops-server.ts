import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorText, type HeaderFields, HttpError, jsonType } from "../protocol/error-response.ts";
import { createServer } from "../protocol/node-http.ts";
import { handleWith, listen } from "../protocol/node-server.ts";
import { refusalText } from "../protocol/refusal.ts";
import { readHead } from "../protocol/request-head.ts";
import { readTarget } from "../protocol/target.ts";

export interface OpsResponse {
  readonly status: number;
  /** With the type of the text. */
  readonly headers: HeaderFields;
  readonly text: string;
}

type OpsPages = Readonly<Record<string, () => OpsResponse | Promise<OpsResponse>>>;

export const json = (status: number, content: object): OpsResponse => ({
  status,
  headers: jsonType,
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
  server.maxConnections = limits.connections;
  /** Connections with a response under way, which is their last. */
  const answered = new WeakSet<Socket>();

  server.on("connection", (socket: Socket) => {
    const lifetime = setTimeout(() => socket.destroy(), limits.lifetimeMilliseconds).unref();
    socket.once("close", () => clearTimeout(lifetime));
  });
  handleWith(server, { respond, refuse });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    answered.add(request.socket);
    const { status, headers, text } = await pageFor(request).catch(responseTo);
    const length = { "Content-Length": Buffer.byteLength(text) };
    response.writeHead(status, { ...standingHeaders, ...headers, ...length }).end(text);
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
    return { status: shown.status, headers: { ...jsonType, ...shown.headers }, text: errorText(shown) };
  }

  function refuse(socket: Socket, refusal: HttpError): void {
    if (answered.has(socket) || !socket.writable) return;
    socket.end(refusalText(refusal, standingHeaders, now()));
  }

  return {
    /** Resolves to the port, which is chosen by the system when 0 is asked for. */
    listen: (port: number, host: string) => listen(server, { port, host }, limits.connections),

    /** Does not wait for clients. */
    async close(): Promise<void> {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
