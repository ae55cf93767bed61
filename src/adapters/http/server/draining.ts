import { Server as NetServer, type Socket } from "node:net";
import type { Connection } from "./client-connection.ts";

/**
 * Ends a server in three steps: it takes no new connections; for a moment it still takes requests on those it has, since
 * some may be on their way; then it closes each connection that has no request, and the others after their answers.
 */
export function makeDraining(
  server: NetServer,
  sockets: Iterable<Socket>,
  connections: () => Iterable<Connection>,
  farewellMilliseconds: number,
) {
  let hasBegun = false;
  let farewellIsOver = false;
  return {
    /** Answers are the last ones of their connections. */
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
      // The close of node:http would cut off connections on which a request may be on its way.
      const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve));
      for (const { current } of connections()) {
        if (current?.response.headersSent === false) current.response.setHeader("Connection", "close");
      }
      const farewell = setTimeout(() => {
        farewellIsOver = true;
        for (const { socket, current } of connections()) if (current === undefined) socket.destroy();
      }, farewellMilliseconds);
      const deadline = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMilliseconds);
      await closed;
      clearTimeout(farewell);
      clearTimeout(deadline);
    },
  };
}
