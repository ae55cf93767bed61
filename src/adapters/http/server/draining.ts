import type { Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./client-connection.ts";

/**
 * Ends a server in two steps: for a moment it still takes requests, since some may be on their way; then it takes no new
 * connections, closes each that has no request, and the others after their responses.
 */
export function makeDraining(
  server: Server,
  sockets: Iterable<Socket>,
  connections: ReadonlyMap<Socket, Connection>,
  farewellMilliseconds: number,
) {
  let hasBegun = false;
  let farewellIsOver = false;
  return {
    /** Responses are the last ones of their connections. */
    get hasBegun() {
      return hasBegun;
    },
    /** A connection without a request is closed. */
    get farewellIsOver() {
      return farewellIsOver;
    },
    /** Resolves when no connection is left; destroys what is left after the grace period. */
    async drain(graceMilliseconds: number): Promise<void> {
      hasBegun = true;
      for (const { newest } of connections.values()) {
        if (newest?.headersSent === false) newest.setHeader("Connection", "close");
      }
      const deadline = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMilliseconds);
      await sleep(farewellMilliseconds);
      farewellIsOver = true;
      const closed = new Promise(resolve => server.close(resolve));
      for (const { socket, underWay } of connections.values()) if (underWay === 0) socket.destroy();
      await closed;
      clearTimeout(deadline);
    },
  };
}
