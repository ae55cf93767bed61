import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import { type DomainError, unavailable } from "../../../domain/error.ts";
import type { DatabaseServer, DatabaseUrl } from "./database-url.ts";
import type { Link } from "./link.ts";

const restMilliseconds = 250;

/**
 * Chooses the server for each new connection of all pools. Tries one after the other: the one that did last time first, those
 * that could not be asked last. When none will do, it fails at once for a short rest, so that a database which is down or has no
 * primary is not asked by every statement.
 */
export class DatabaseServers {
  readonly #order: DatabaseServer[];
  readonly #needsWrites: boolean;
  readonly #now: () => number;
  /** Of the latest connection. */
  #current: DatabaseServer | undefined;
  #failure: DomainError | undefined;
  #restsUntil = 0;

  constructor(
    { servers, needsWrites }: Pick<DatabaseUrl, "servers" | "needsWrites">,
    now = () => performance.now(),
  ) {
    this.#order = [...servers];
    this.#needsWrites = needsWrites;
    this.#now = now;
  }

  /** Throws UNAVAILABLE. */
  async open(
    openLink: (server: DatabaseServer, signal: AbortSignal) => Promise<Link>,
    signal: AbortSignal,
  ): Promise<Link> {
    if (this.#failure !== undefined && this.#now() < this.#restsUntil) throw this.#failure;
    const faults: string[] = [];
    const unsuitable: UnsuitableDatabase[] = [];
    for (const server of [...this.#order]) {
      try {
        const link = await openLink(server, signal);
        if (link.isWritable || !this.#needsWrites) {
          this.#move(server, 0);
          this.#failure = undefined;
          this.#current = server;
          return link;
        }
        void link.close();
        faults.push(`${server.name}: takes no writes`);
      } catch (error) {
        signal.throwIfAborted();
        this.#move(server, this.#order.length);
        if (error instanceof UnsuitableDatabase) unsuitable.push(error);
        // An error of node:net for a name with several addresses has no message; one of OpenSSL ends a line.
        const { message, code } = error as NodeJS.ErrnoException;
        faults.push(`${server.name}: ${message.trim() || code}`);
      }
    }
    this.#restsUntil = this.#now() + restMilliseconds;
    // One of several servers that cannot be reached may be the right one.
    const [first] = unsuitable.length === this.#order.length ? unsuitable : [];
    this.#failure = unavailable(first ?? new Error(faults.join("; ")));
    throw this.#failure;
  }

  /** Whether a connection is to the server of the latest connection. If not, that server may have replaced its own. */
  isCurrent({ server }: Pick<Link, "server">): boolean {
    return server === this.#current;
  }

  /**
   * From now on the server of this connection is tried last, since a statement on it missed its deadline: a leader whose standby
   * was promoted goes on as if it were the leader, and none of its commits is confirmed.
   */
  suspect({ server }: Pick<Link, "server">): void {
    // Where a standby will do, it would be chosen, and stay so.
    if (this.#needsWrites) this.#move(server, this.#order.length);
  }

  #move(server: DatabaseServer, to: number): void {
    this.#order.splice(this.#order.indexOf(server), 1);
    this.#order.splice(to, 0, server);
  }
}
