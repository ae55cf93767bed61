import { createServer, request as forward } from "node:http";
import { listenLocally } from "./listen.ts";
import { once } from "./until.ts";

/** A response of the proxy's own. */
interface OwnResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * What becomes of one request: an answer that is lost, or cut in its body, or stalls there; none; one of the proxy's own; or
 * something done before it is passed on.
 */
export type Mishap =
  | "lose the answer"
  | "cut the body"
  | "stall in the body"
  | "say nothing"
  | OwnResponse
  | (() => void);

/** Passes requests on to a service. The mishaps, one each, meet the requests that begin with the method and path beside them. */
export async function startFlakyProxy(target: number, mishaps: Readonly<Record<string, readonly Mishap[]>>) {
  const ahead = Object.entries(mishaps).map(([start, of]) => ({ start, of: [...of] }));
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const mishap = ahead.find(({ start }) => `${method} ${url}`.startsWith(start))?.of.shift();
    if (typeof mishap === "object") {
      request.resume();
      response.writeHead(mishap.status, mishap.headers);
      response.end(mishap.body);
      return;
    }
    if (mishap === "say nothing") return void request.resume();
    if (typeof mishap === "function") mishap();
    const passed = forward({ port: target, host: "127.0.0.1", method, path: url, headers }, answer => {
      if (mishap === "lose the answer") {
        answer.resume().once("end", () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (typeof mishap !== "string") return void answer.pipe(response);
      answer.once("data", (bytes: Buffer) => {
        answer.resume();
        response.write(bytes.subarray(0, bytes.length / 2), () => {
          if (mishap === "cut the body") response.destroy();
        });
      });
    });
    // The client was killed while its request was under way.
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  return {
    port: await listenLocally(server),
    /** Those that have not happened yet. */
    ahead: () => ahead.flatMap(({ of }) => of),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
