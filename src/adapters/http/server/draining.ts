import { once } from "node:events";
import { Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpConnection } from "./http-connection.ts";

/** The connections of a server. */
export interface OpenConnections {
  /** Those of the network: with TLS they are there before there is a connection that HTTP knows of. */
  readonly sockets: Iterable<Socket>;
  /** Those of them whose TLS handshake is under way. */
  readonly handshakes: ReadonlyMap<string, Socket>;
  readonly connections: ReadonlyMap<Socket, HttpConnection>;
}

/**
 * The end of a server, in two steps: it takes no new connections, but for a moment requests on those that it has, since some
 * may be on their way (`draining`); then it closes each that has no request, and the others after their responses (`closing`).
 */
export class Draining {
  readonly #server: Server;
  readonly #open: OpenConnections;
  readonly #drainMilliseconds: number;
  #state: "open" | "draining" | "closing" = "open";

  constructor(server: Server, open: OpenConnections, drainMilliseconds: number) {
    this.#server = server;
    this.#open = open;
    this.#drainMilliseconds = drainMilliseconds;
  }

  /** Responses are the last ones of their connections. */
  get hasBegun(): boolean {
    return this.#state !== "open";
  }

  /** To be called when a connection has sent a response. */
  closeIfIdle({ isIdle, socket }: HttpConnection): void {
    if (this.#state === "closing" && isIdle) socket.end(() => socket.destroy());
  }

  /** Resolves when no connection is left; destroys what is left after the grace period. */
  async drain(graceMilliseconds: number): Promise<void> {
    this.#state = "draining";
    const closed = once(this.#server, "close");
    // That of net: the one of http would also close connections on which a request may be on its way.
    Reflect.apply(Server.prototype.close, this.#server, []);
    const { sockets, handshakes, connections } = this.#open;
    for (const connection of connections.values()) connection.announceEnd();
    const deadline = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMilliseconds);
    await Promise.race([closed, sleep(this.#drainMilliseconds)]);
    this.#state = "closing";
    for (const socket of handshakes.values()) socket.destroy();
    // One that lingers ends by itself, when its client has read the last response.
    for (const { socket, isIdle } of connections.values()) if (isIdle) socket.destroy();
    await closed;
    clearTimeout(deadline);
    // Ends what http still has: the timer of its time-outs.
    this.#server.close();
  }
}
