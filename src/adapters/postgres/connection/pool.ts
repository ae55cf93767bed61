import type { PoolLoad } from "../../../application/figures.ts";
import { DomainError } from "../../../domain/error.ts";

export interface PoolLimits {
  readonly connections: number;
  /** From the call to the result, the wait for a connection included. */
  readonly deadlineMilliseconds: number;
  /** Statements that may wait for a connection; one more is refused at once. */
  readonly waiting: number;
}

/** How the pool comes by connections and judges them. */
export interface Connections<Client> {
  /** Makes a client of one connection, which need not be there yet. */
  open(): Client;
  /** A connection may be lost while it is idle. One that could not be opened stays `opening`. */
  state(client: Client): "opening" | "open" | "lost";
  /** Asks the server to give up the statement under way. */
  cancel(client: Client): void;
  /** Ends the connection, whatever it is doing. */
  close(client: Client): Promise<void>;
  /** Whether an error means that the connection can no longer be trusted. */
  isBroken(error: unknown): boolean;
}

/**
 * Lends each connection to one statement at a time, and trusts none that has failed: after an error of the connection
 * or a missed deadline it is closed, and so are those that lie idle, since they may be as dead without knowing it.
 * So every statement settles in time, and none runs on a connection in an unknown state.
 */
export function makePool<Client>(limits: PoolLimits, connections: Connections<Client>) {
  const idle: Client[] = [];
  const waiting = new Set<(client: Client) => void>();
  const opened = new Set<Client>();

  function open(): Client {
    const client = connections.open();
    opened.add(client);
    return client;
  }

  function close(client: Client): void {
    opened.delete(client);
    void connections.close(client);
  }

  function available(): Client | undefined {
    for (let client = idle.pop(); client !== undefined; client = idle.pop()) {
      if (connections.state(client) !== "lost") return client;
      close(client);
    }
    return opened.size < limits.connections ? open() : undefined;
  }

  function giveBack(client: Client): void {
    const [next] = waiting;
    if (next === undefined) return void idle.push(client);
    waiting.delete(next);
    next(client);
  }

  function discard(client: Client): void {
    // A server that takes no further connection says nothing of those that are there.
    const others = connections.state(client) === "opening" ? [] : idle.splice(0);
    for (const suspect of [client, ...others]) close(suspect);
    while (waiting.size > 0 && opened.size < limits.connections) giveBack(open());
  }

  return {
    /** Runs a statement on a connection of its own. Throws UNAVAILABLE past the deadline or the limits. */
    run<Rows>(start: (client: Client) => PromiseLike<Rows>): Promise<Rows> {
      return new Promise((resolve, reject) => {
        let running: Client | undefined;
        let isOver = false;
        const lend = (client: Client): void => {
          running = client;
          start(client).then(
            rows => {
              if (end()) giveBack(client);
              resolve(rows);
            },
            error => {
              if (end()) (connections.isBroken(error) ? discard : giveBack)(client);
              reject(error);
            },
          );
        };
        /** Whether it had not ended before. */
        const end = (): boolean => {
          clearTimeout(deadline);
          waiting.delete(lend);
          const wasOver = isOver;
          isOver = true;
          return !wasOver;
        };
        const deadline = setTimeout(() => {
          end();
          reject(unavailable("no answer from the database within the deadline"));
          if (running === undefined) return;
          connections.cancel(running);
          discard(running);
        }, limits.deadlineMilliseconds);

        const client = available();
        if (client !== undefined) lend(client);
        else if (waiting.size < limits.waiting) waiting.add(lend);
        else {
          end();
          reject(unavailable("too many statements wait for a connection"));
        }
      });
    },

    load: (): PoolLoad => ({
      inUse: opened.size - idle.length,
      idle: idle.length,
      limit: limits.connections,
      waiting: waiting.size,
    }),

    close: async () => void (await Promise.all([...opened].map(connections.close))),
  };
}

const unavailable = (cause: string) =>
  new DomainError("UNAVAILABLE", "The database is not available", { cause: new Error(cause) });
