import type { Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpConnection } from "./http-connection.ts";

/**
 * The end of a server, in two steps: for a moment it still takes requests, since some may be on their way (`draining`); then
 * it takes no new connections, closes each that has no request, and the others after their responses (`closing`).
 */
export class Draining {
  readonly #server: Server;
  readonly #sockets: Iterable<Socket>;
  readonly #connections: ReadonlyMap<Socket, HttpConnection>;
  readonly #drainMilliseconds: number;
  #state: "open" | "draining" | "closing" = "open";

  constructor(
    server: Server,
    sockets: Iterable<Socket>,
    connections: ReadonlyMap<Socket, HttpConnection>,
    drainMilliseconds: number,
  ) {
    this.#server = server;
    this.#sockets = sockets;
    this.#connections = connections;
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
    for (const connection of this.#connections.values()) connection.announceEnd();
    const deadline = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMilliseconds);
    await sleep(this.#drainMilliseconds);
    this.#state = "closing";
    const closed = new Promise(resolve => this.#server.close(resolve));
    // One that lingers ends by itself, when its client has read the last response.
    for (const { socket, isIdle } of this.#connections.values()) if (isIdle) socket.destroy();
    await closed;
    clearTimeout(deadline);
  }
}
