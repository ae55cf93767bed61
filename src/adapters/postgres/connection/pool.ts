import type { PoolLoad } from "../../../application/figures.ts";
import { unavailable } from "../../../domain/error.ts";

export interface PoolLimits {
  readonly connections: number;
  /** From the call to the result, the wait for a connection included. */
  readonly deadlineMilliseconds: number;
  /**
   * Statements that may wait when all connections are checked out, and one more for each connection that is not: those wait until it
   * is open. Further statements are refused at once.
   */
  readonly waiting: number;
}

/** A connection that is open, or has been. */
export interface PooledConnection {
  readonly server: { readonly name: string };
  /** Asks the server to give up the statement under way. */
  cancel(): void;
  /** Ends the connection, whatever it is doing. */
  close(): Promise<void>;
}

/** How the pool comes by connections and judges them. */
interface Connections<Connection extends PooledConnection> {
  /** @param signal gives it up */
  open(signal: AbortSignal): Promise<Connection>;
  /** Whether an error means that the connection can no longer be trusted. */
  isBroken(error: unknown): boolean;
  /** Whether a statement may run on the connection, which may have been lost while it was idle. */
  isUsable(connection: Connection): boolean;
  /** Its server gave no result within the deadline. */
  suspect(connection: Connection): void;
}

/** A statement in the pool: it waits for a connection, runs on it, and is settled once, by its deadline at the latest. */
class Task<Connection> {
  readonly start: (connection: Connection) => PromiseLike<unknown>;
  readonly settled: Promise<unknown>;
  resolve: (rows: unknown) => void = () => {};
  reject: (error: unknown) => void = () => {};
  /** The one that it runs on, or has run on. */
  connection: Connection | undefined;

  constructor(start: Task<Connection>["start"]) {
    this.start = start;
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/**
 * A connection is opening, idle, checked out by one statement, or closed:
 *
 * - opening -> idle. If it cannot be opened, the statement that has waited longest fails, unless another connection is checked
 *   out; `close` gives it up
 * - idle -> checked out by the statement that has waited longest, at once if one waits; -> closed when it is not usable, at `close`, or
 *   when another one is discarded: it may be as dead without knowing it
 * - checked out -> idle after a result or an error of the statement alone; -> closed at `close`, after an error of the connection,
 *   or after a missed deadline, when the server is asked to cancel the statement
 *
 * So every statement settles in time, and none runs on a connection in an unknown state.
 */
export class Pool<Connection extends PooledConnection> {
  readonly #limits: PoolLimits;
  readonly #connections: Connections<Connection>;
  readonly #opening = new Set<AbortController>();
  readonly #idle: Connection[] = [];
  readonly #checkedOut: Connection[] = [];
  /** The longest wait first. An array: as a Set it made a created log a tenth dearer, in garbage collection. */
  readonly #waiting: Task<Connection>[] = [];
  #isClosed = false;

  constructor(limits: PoolLimits, connections: Connections<Connection>) {
    this.#limits = limits;
    this.#connections = connections;
  }

  /** Runs a statement on a connection of its own. Throws UNAVAILABLE past the deadline or the limits. */
  async run<Rows>(start: (connection: Connection) => PromiseLike<Rows>): Promise<Rows> {
    if (this.#isClosed) throw closedError();
    if (this.#isFull()) throw unavailable("too many statements wait for a connection");
    const task = new Task<Connection>(start);
    const deadline = setTimeout(() => this.#miss(task), this.#limits.deadlineMilliseconds);
    this.#waiting.push(task);
    this.#serveWaiting();
    try {
      return (await task.settled) as Rows;
    } finally {
      clearTimeout(deadline);
    }
  }

  load(): PoolLoad {
    return {
      inUse: this.#checkedOut.length + this.#opening.size,
      idle: this.#idle.length,
      limit: this.#limits.connections,
      waiting: this.#waiting.length,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#waiting.splice(0)) task.reject(closedError());
    for (const opening of this.#opening) opening.abort(closedError());
    await Promise.all([...this.#checkedOut, ...this.#idle.splice(0)].map(connection => connection.close()));
  }

  /** The one place that checks connections out and opens them. It is called after whatever changes what it depends on. */
  #serveWaiting(): void {
    while (this.#waiting.length > 0 && this.#hasUsableIdle())
      void this.#checkOut(this.#idle.pop() as Connection, this.#waiting.shift() as Task<Connection>);
    while (this.#shouldOpenMore()) void this.#open();
  }

  #isFull(): boolean {
    const { connections, waiting } = this.#limits;
    return this.#waiting.length >= waiting + connections - this.#checkedOut.length;
  }

  /** Whether the newest idle connection is usable. Those that are not are closed. */
  #hasUsableIdle(): boolean {
    for (let newest = this.#idle.at(-1); newest !== undefined; newest = this.#idle.at(-1)) {
      if (this.#connections.isUsable(newest)) return true;
      void this.#idle.pop()?.close();
    }
    return false;
  }

  #shouldOpenMore(): boolean {
    const isRoom = this.#checkedOut.length + this.#opening.size < this.#limits.connections;
    return isRoom && this.#opening.size < this.#waiting.length;
  }

  async #open(): Promise<void> {
    const opening = new AbortController();
    this.#opening.add(opening);
    try {
      const connection = await this.#connections.open(opening.signal);
      this.#opening.delete(opening);
      this.#keep(connection);
    } catch (error) {
      this.#opening.delete(opening);
      // Statements may wait while a connection is checked out: it comes back, or another one is opened when it is closed.
      if (this.#checkedOut.length > 0) return;
      this.#waiting.shift()?.reject(error);
      this.#serveWaiting();
    }
  }

  #keep(connection: Connection): void {
    if (this.#isClosed) return void connection.close();
    this.#idle.push(connection);
    this.#serveWaiting();
  }

  async #checkOut(connection: Connection, task: Task<Connection>): Promise<void> {
    this.#checkedOut.push(connection);
    task.connection = connection;
    try {
      const rows = await task.start(connection);
      this.#takeBack(connection, "sound");
      task.resolve(rows);
    } catch (error) {
      this.#takeBack(connection, this.#connections.isBroken(error) ? "broken" : "sound");
      task.reject(error);
    }
  }

  /** Does nothing where a missed deadline has taken the connection back before its statement settled. */
  #takeBack(connection: Connection, state: "sound" | "broken"): void {
    if (!remove(this.#checkedOut, connection)) return;
    if (state === "broken") {
      for (const dead of [connection, ...this.#idle.splice(0)]) void dead.close();
      this.#serveWaiting();
    } else this.#keep(connection);
  }

  #miss(task: Task<Connection>): void {
    remove(this.#waiting, task);
    const { connection } = task;
    task.reject(unavailable(`${connection?.server.name ?? "no connection"}: no result within the deadline`));
    if (connection === undefined) return;
    connection.cancel();
    this.#connections.suspect(connection);
    this.#takeBack(connection, "broken");
  }
}

/** Returns whether it was among them. */
function remove<Item>(items: Item[], item: Item): boolean {
  const at = items.indexOf(item);
  if (at >= 0) items.splice(at, 1);
  return at >= 0;
}

const closedError = () => unavailable("the connections are closed");
