import type { Socket } from "node:net";
import type { DatabaseServer, DatabaseUrl } from "./database-url.ts";
import { dial } from "./dial.ts";
import { beginSession, type Driver, makeDriver, type RowForm, rowsOf } from "./driver.ts";
import type { PooledConnection } from "./pool.ts";
import type { SessionNeeds } from "./session.ts";
import type { Statement } from "./statement.ts";

/** One connection to one server. It is never connected anew: when it is lost, so is the link. */
export interface Link extends PooledConnection {
  readonly server: DatabaseServer;
  /** Whether the server took writes when the link was opened. */
  readonly isWritable: boolean;
  /** False once it is lost, or has been used as long as it may. */
  isOpen(): boolean;
  /** Returns the rows. Throws also when the statement was committed here but perhaps not on the synchronous standby. */
  send(statement: Statement, form: RowForm): Promise<unknown[]>;
}

/** What one server may take until it can be asked something, and to take a request to cancel. */
const connectMilliseconds = 2_000;

/**
 * Opens a link within two seconds.
 *
 * @param signal gives it up
 * @throws UnsuitableDatabase where the server will not do, or Error with what went wrong
 */
export async function openLink(
  url: DatabaseUrl,
  server: DatabaseServer,
  needs: SessionNeeds,
  signal: AbortSignal,
): Promise<Link> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error("no response within 2 s")), connectMilliseconds);
  const opening = AbortSignal.any([signal, silence.signal]);
  const link = new PostgresLink(url, server, opening);
  try {
    await link.begin(needs);
    return link;
  } catch (error) {
    link.close().catch(() => {});
    throw opening.aborted ? opening.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

class PostgresLink implements Link {
  readonly server: DatabaseServer;
  isWritable = false;
  readonly #driver: Driver;
  /** Opens another connection to the same server. */
  readonly #dial: (signal: AbortSignal) => Promise<Socket>;
  #socket: Promise<Socket> | undefined;
  #key = { pid: 0, secret: 0 };
  #isOpen = true;
  /** In elapsed milliseconds. */
  #usedUntil = Number.POSITIVE_INFINITY;
  /** Never reset: the error of `send` is then no refusal of the statement, so that the pool discards the link. */
  #isUnconfirmed = false;

  /** @param opening gives it up until it has begun */
  constructor(url: DatabaseUrl, server: DatabaseServer, opening: AbortSignal) {
    this.server = server;
    this.#dial = signal => dial(server, url.encryption, signal);
    this.#driver = makeDriver(url, server, {
      socket: () => {
        // Called again when the server ends the connection before it is ready.
        if (this.#socket !== undefined) throw new Error("the server closed the connection");
        this.#socket = this.#dial(opening);
        return this.#socket;
      },
      // The statement succeeds all the same; the message itself may be in any language.
      onnotice: notice => {
        this.#isUnconfirmed ||= notice["routine"] === "SyncRepWaitForLSN";
      },
      onclose: () => {
        this.#isOpen = false;
      },
    });
  }

  /** Throws UnsuitableDatabase or Error. */
  async begin(needs: SessionNeeds): Promise<void> {
    const { isWritable, key } = await beginSession(this.#driver, needs);
    this.isWritable = isWritable;
    this.#key = key;
    this.#usedUntil = performance.now() + (needs.keptMilliseconds ?? Number.POSITIVE_INFINITY);
  }

  isOpen(): boolean {
    return this.#isOpen && performance.now() < this.#usedUntil;
  }

  async send(statement: Statement, form: RowForm): Promise<unknown[]> {
    const rows = await rowsOf(this.#driver, statement, form);
    if (this.#isUnconfirmed) throw new Error("the wait for a synchronous standby was cancelled");
    return rows;
  }

  /** PostgreSQL documentation, 55.2.8. */
  cancel(): void {
    const { pid, secret } = this.#key;
    const request = Buffer.alloc(16);
    for (const [i, word] of [16, 80_877_102, pid, secret].entries()) request.writeUInt32BE(word, 4 * i);
    this.#dial(AbortSignal.timeout(connectMilliseconds)).then(
      socket => socket.end(request),
      // A server that cannot be reached has given the statement up, or will not hear of it.
      () => {},
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#driver.end({ timeout: 0 }).catch(() => {});
    // A server that has vanished never confirms the end of the connection.
    (await this.#socket)?.destroySoon();
  }
}
