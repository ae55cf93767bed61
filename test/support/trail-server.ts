import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { isTileOf, readTilePath } from "../../src/domain/trail/tile.ts";
import { listenLocally } from "./listen.ts";
import type { TestTrail } from "./trail.ts";
import { once } from "./until.ts";

export const auditor = { email: "auditor@example.com", password: "pa ss" };

export type TrailServer = Awaited<ReturnType<typeof startTrailServer>>;

/** The routes of a trail, and the login, over a trail in memory. */
export async function startTrailServer() {
  let current: { trail: TestTrail; size: number; stored: number } | undefined;
  let log: { readonly id: number; readonly isProven: boolean } | undefined;
  let change = (_: string, body: Buffer): Buffer => body;
  let token = 0;
  const asked: string[] = [];
  const fail: number[] = [];

  async function answer(request: IncomingMessage): Promise<[status: number, body: string | Buffer]> {
    const path = request.url ?? "";
    asked.push(path);
    const forced = fail.shift();
    if (forced !== undefined) return [forced, "{}"];
    if (path === "/api/v1/auth/login") {
      const sent = JSON.parse(await text(request));
      if (sent.email !== auditor.email || sent.password !== auditor.password) return [401, "{}"];
      token += 1;
      return [200, JSON.stringify({ token: `token-${token}`, authUser: {} })];
    }
    if (request.headers.authorization !== `Bearer token-${token}`) return [403, "{}"];
    if (current === undefined) return [404, "{}"];
    const { trail, size, stored } = current;
    if (path === "/api/v1/trail/checkpoint") return [200, trail.checkpoint(size)];
    if (path === "/api/v1/logs?limit=100")
      return [200, JSON.stringify(log === undefined ? [] : [{ id: 1 }, { id: log.id }])];
    if (log !== undefined && path === `/api/v1/logs/${log.id}/proof`) return [log.isProven ? 200 : 404, "{}"];
    const tile = readTilePath(path.replace("/api/v1/trail/tile/", ""));
    if (tile === undefined || !isTileOf(tile, stored)) return [404, "{}"];
    return [200, tile.isBundle ? trail.bundle(tile) : trail.tile(tile)];
  }

  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request);
    if (status === 302) response.setHeader("location", "/elsewhere");
    response.writeHead(status).end(change(request.url ?? "", Buffer.from(body)));
  });
  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    /** What is served from now on: the size of the newest checkpoint, and how many entries the database has. */
    serve(trail: TestTrail, size = trail.entries.length, stored = size) {
      current = { trail, size, stored };
    },
    /** The newest log, and whether it has a proof. */
    serveLog(id: number, isProven: boolean) {
      log = { id, isProven };
    },
    /** Changes what is answered; for faults. */
    tamper(next: typeof change) {
      change = next;
    },
    /** The statuses of the next answers, in place of what would be answered. */
    fail,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
