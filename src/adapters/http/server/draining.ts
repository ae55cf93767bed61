import { once } from "node:events";
import { Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpConnection } from "./http-connection.ts";

/** How long work may take to end after its connection: as long as a statement. */
const endingMilliseconds = 5_000;

/** The connections of a server. */
export interface OpenConnections {
  /** All TCP connections: with TLS one is open before it becomes an `HttpConnection`. */
  readonly sockets: Iterable<Socket>;
  /** The sockets whose TLS handshake is under way. */
  readonly handshakes: ReadonlyMap<string, Socket>;
  readonly connections: ReadonlyMap<Socket, HttpConnection>;
}

/**
 * The stop of a server, in two steps. First it takes no new connections, but for a moment still requests on the open ones, since
 * some may be on their way (`draining`). Then it closes idle connections, and the others after their responses (`closing`).
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

  /** From then on each response is the last one of its connection. */
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
    // The `close` of net: that of http would also close idle connections, on which a request may be on its way.
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
    // The work for a client that was cut off ends with its statement, and has a line in the log.
    for (let left = endingMilliseconds; connections.size > 0 && left > 0; left -= 10) await sleep(10);
    // The `close` of http: ends the timer of its time-outs.
    this.#server.close();
  }
}
