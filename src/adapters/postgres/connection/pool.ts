import type { PoolLoad } from "../../../application/figures.ts";
import { DomainError } from "../../../domain/error.ts";

/** A statement under way: its rows, and a way to ask the server to give it up. */
export interface Running<Row> {
  readonly rows: PromiseLike<Row[]>;
  cancel(): void;
}

export interface PoolLimits {
  readonly connections: number;
  /** From the asking to the answer, the wait for a connection included. */
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
  /** Ends the connection, whatever it is doing. */
  close(client: Client): void;
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
  let opened = 0;

  function available(): Client | undefined {
    for (let client = idle.pop(); client !== undefined; client = idle.pop()) {
      if (connections.state(client) !== "lost") return client;
      opened -= 1;
      connections.close(client);
    }
    if (opened === limits.connections) return undefined;
    opened += 1;
    return connections.open();
  }

  async function borrow(deadline: Deadline): Promise<Client> {
    const client = available();
    if (client !== undefined) return client;
    if (waiting.size === limits.waiting) throw unavailable("too many statements wait for a connection");
    let lend: (client: Client) => void = () => {};
    const lent = new Promise<Client>(resolve => {
      lend = resolve;
    });
    waiting.add(lend);
    try {
      return await Promise.race([lent, deadline.missed]);
    } catch (error) {
      // Lent in the very moment of the deadline: the next one takes it.
      if (!waiting.delete(lend)) giveBack(await lent);
      throw error;
    }
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
    for (const suspect of [client, ...others]) {
      opened -= 1;
      connections.close(suspect);
    }
    while (waiting.size > 0 && opened < limits.connections) {
      opened += 1;
      giveBack(connections.open());
    }
  }

  return {
    /** Runs a statement on a connection of its own. Throws UNAVAILABLE past the deadline or the limits. */
    async run<Row>(start: (client: Client) => Running<Row>): Promise<Row[]> {
      const deadline = makeDeadline(limits.deadlineMilliseconds);
      try {
        const client = await borrow(deadline);
        const running = start(client);
        try {
          const rows = await Promise.race([running.rows, deadline.missed]);
          giveBack(client);
          return rows;
        } catch (error) {
          if (deadline.isMissed()) running.cancel();
          if (deadline.isMissed() || connections.isBroken(error)) discard(client);
          else giveBack(client);
          throw error;
        }
      } finally {
        deadline.clear();
      }
    },

    load: (): PoolLoad => ({
      inUse: opened - idle.length,
      idle: idle.length,
      limit: limits.connections,
      waiting: waiting.size,
    }),
  };
}

type Deadline = ReturnType<typeof makeDeadline>;

/** Whose `missed` rejects when the time is over. */
function makeDeadline(milliseconds: number) {
  let isMissed = false;
  let clear = (): void => {};
  const missed = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      isMissed = true;
      reject(unavailable("no answer from the database within the deadline"));
    }, milliseconds);
    clear = () => clearTimeout(timer);
  });
  // It may reject after the race is over, when nothing awaits it.
  missed.catch(() => {});
  return { missed, isMissed: () => isMissed, clear };
}

const unavailable = (cause: string) =>
  new DomainError("UNAVAILABLE", "The database is not available", { cause: new Error(cause) });
