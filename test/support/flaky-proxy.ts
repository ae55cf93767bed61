import { createServer, request as forward } from "node:http";
import { listenLocally } from "./listen.ts";
import { once } from "./until.ts";

/** What becomes of one request: a lost answer, a busy service, or something done before it is passed on. */
export type Mishap = "lose the answer" | "be busy" | (() => void);

export interface FlakyProxy {
  readonly port: number;
  /** The mishaps that have not happened yet. */
  readonly ahead: readonly Mishap[];
  close(): Promise<void>;
}

/** Passes requests on to a service; those that begin with this method and path meet the mishaps, one each. */
export async function startFlakyProxy(
  target: number,
  start: string,
  mishaps: readonly Mishap[],
): Promise<FlakyProxy> {
  const ahead = [...mishaps];
  const server = createServer((request, response) => {
    const mishap = `${request.method} ${request.url}`.startsWith(start) ? ahead.shift() : undefined;
    if (mishap === "be busy") {
      request.resume();
      response.writeHead(503, { "Content-Type": "application/json", "Retry-After": "1" });
      response.end(JSON.stringify({ status: 503, msg: "The service is overloaded" }));
      return;
    }
    if (typeof mishap === "function") mishap();
    const { method, url, headers } = request;
    const passed = forward({ port: target, host: "127.0.0.1", method, path: url, headers }, answer => {
      if (mishap === "lose the answer") {
        answer.resume().once("end", () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  return {
    port: await listenLocally(server),
    ahead,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
