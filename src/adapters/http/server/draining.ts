import { once } from "node:events";
import { Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpConnection } from "./http-connection.ts";

/** How long work may take to end after its connection: as long as a statement. */
const endingMilliseconds = 5_000;
/** Between two passes for connections whose response has ended. */
const sweepMilliseconds = 10;

/** The connections of a server. */
interface OpenConnections {
  /** All TCP connections: with TLS one is open before it becomes an `HttpConnection`. */
  readonly sockets: Iterable<Socket>;
  readonly connections: ReadonlyMap<Socket, HttpConnection>;
}

/**
 * The stop of a server, in two steps. First it takes no new connections, but for a moment still requests on the open ones, since
 * some may be on their way. Then it closes idle connections, and the others after their responses.
 */
export class Draining {
  readonly #server: Server;
  readonly #open: OpenConnections;
  readonly #drainMilliseconds: number;
  /** From then on each response is the last one of its connection. */
  hasBegun = false;

  constructor(server: Server, open: OpenConnections, drainMilliseconds: number) {
    this.#server = server;
    this.#open = open;
    this.#drainMilliseconds = drainMilliseconds;
  }

  /** Resolves when no connection is left; destroys what is left after the grace period. */
  async drain(graceMilliseconds: number): Promise<void> {
    this.hasBegun = true;
    const { sockets, connections } = this.#open;
    const closed = once(this.#server, "close");
    // The `close` of net: that of http would also close idle connections, on which a request may be on its way.
    Reflect.apply(Server.prototype.close, this.#server, []);
    for (const connection of connections.values()) connection.announceEnd();
    const deadline = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMilliseconds);
    await Promise.race([closed, sleep(this.#drainMilliseconds)]);
    this.#closeIdle();
    const sweeping = setInterval(() => this.#closeIdle(), sweepMilliseconds);
    await closed;
    clearInterval(sweeping);
    clearTimeout(deadline);
    // The work for a client that was cut off ends with its statement, and has a line in the log.
    for (let left = endingMilliseconds; connections.size > 0 && left > 0; left -= sweepMilliseconds)
      await sleep(sweepMilliseconds);
    // The `close` of http: ends the timer of its time-outs.
    this.#server.close();
  }

  /** Closes connections that no request is on, and TLS handshakes. A lingering one closes by itself within a second. */
  #closeIdle(): void {
    const { sockets, connections } = this.#open;
    const known = new Set<string>();
    for (const { socket, isIdle } of connections.values()) {
      known.add(clientOf(socket));
      if (isIdle) socket.destroy();
    }
    for (const socket of sockets) if (!known.has(clientOf(socket))) socket.destroy();
  }
}

/** Node does not tell to which TCP connection a TLS socket belongs. */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
