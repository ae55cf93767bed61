import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

// An import statement would load Node's client for the web as well, which the service does not use.
const { createServer } = process.getBuiltinModule("node:http");

export interface OpsResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

type OpsPages = Readonly<Record<string, () => OpsResponse | Promise<OpsResponse>>>;

export const jsonType = "application/json; charset=utf-8";

export const json = (status: number, content: object): OpsResponse => ({
  status,
  type: jsonType,
  text: JSON.stringify(content),
});

const opsLimits = {
  /** A connection carries one request and lasts this long at most: that bounds every client, however slow. */
  lifetimeMilliseconds: 10_000,
  /** Further connections are closed at once. */
  connections: 100,
  headerBytes: 8 * 1024,
};

const standingHeaders = [
  ...["X-Content-Type-Options", "nosniff"],
  ...["Cache-Control", "no-store"],
  ...["Cross-Origin-Resource-Policy", "same-origin"],
  ...["Connection", "close"],
];

/**
 * Serves a few pages for monitoring, on a port of its own and without authentication.
 *
 * @param failed is called with the cause when a page fails; the client gets a 500 without it
 */
export function makeOpsServer(pages: OpsPages, failed: (cause: unknown) => void, limits = opsLimits) {
  const byPath = new Map(Object.entries(pages));
  const server = createServer({ maxHeaderSize: limits.headerBytes });
  server.maxConnections = limits.connections;

  server.on("connection", (socket: Socket) => {
    const lifetime = setTimeout(() => socket.destroy(), limits.lifetimeMilliseconds).unref();
    socket.once("close", () => clearTimeout(lifetime));
  });
  server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    const { status, type, text, headers = [] } = await respondTo(request);
    const length = ["Content-Length", String(Buffer.byteLength(text))];
    response.writeHead(status, [...standingHeaders, "Content-Type", type, ...headers, ...length]).end(text);
  });

  async function respondTo({ method = "", url = "" }: IncomingMessage): Promise<OpsResponse> {
    const page = byPath.get(url.split("?", 1)[0] ?? "");
    if (page === undefined) return json(404, { status: 404, msg: "Not found" });
    if (method !== "GET" && method !== "HEAD") {
      return { ...json(405, { status: 405, msg: "Method not allowed" }), headers: ["Allow", "GET, HEAD"] };
    }
    try {
      return await page();
    } catch (cause) {
      failed(cause);
      return json(500, { status: 500, msg: "Internal server error" });
    }
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
