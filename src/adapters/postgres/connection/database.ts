import { setTimeout as sleep } from "node:timers/promises";
import type { PoolLoad } from "../../../application/figures.ts";
import { type DatabaseUrl, readDatabaseUrl } from "./database-url.ts";
import { endsConnection, translate } from "./errors.ts";
import { isReported, type Link, openLink, type PendingRows } from "./link.ts";
import { makePool, type PoolLimits } from "./pool.ts";
import { makeServers } from "./servers.ts";
import type { Statement } from "./statement.ts";

/** A statement, or what makes it when there is a connection for it. */
export type StatementSource = Statement | (() => Statement);

/** The columns of a row as PostgreSQL wrote them, in UTF-8. */
export type Bytes = readonly (Buffer | null)[];

/** The one way to the database: statements in, rows or a DomainError out. Each is its own transaction. */
export interface Database {
  query<Row extends object>(source: StatementSource): Promise<Row[]>;
  /** Leaves the rows unread, to hand through what PostgreSQL has rendered. */
  queryBytes(source: StatementSource): Promise<Bytes[]>;
  load(): PoolLoad;
  close(): Promise<void>;
}

export const serviceLimits: PoolLimits = { connections: 10, deadlineMilliseconds: 5_000, waiting: 1_000 };

/** For a look at the database, as patient as the service is with a statement. */
export const probeLimits: PoolLimits = { ...serviceLimits, connections: 1, waiting: 0 };

const goodbyeMilliseconds = 500;

/** For commands, which run one statement after the other and may take their time over a migration. */
export const commandLimits: PoolLimits = { connections: 1, deadlineMilliseconds: 3_600_000, waiting: 0 };

/**
 * Opens connections when statements need them, so that a database which is down is an error of the statement, not
 * of the process.
 *
 * @param url what DATABASE_URL says, or its text when it names no files
 * @param prepares whether statements are named and kept by the server's connection, which must then be ours alone
 */
export function connect(
  url: DatabaseUrl | string,
  limits: PoolLimits = serviceLimits,
  prepares = true,
): Database {
  const { servers, attribute, ...access } = typeof url === "string" ? readDatabaseUrl(url) : url;
  const lent = new Set<Lent>();
  const candidates = makeServers(servers, attribute, (server, signal) =>
    openLink(access, server, prepares, signal),
  );
  const pool = makePool<Lent>(limits, {
    open() {
      const client = open(candidates.connect);
      lent.add(client);
      return client;
    },
    close(client) {
      lent.delete(client);
      void client.close();
    },
    state: ({ link }) => (link === undefined ? "opening" : link.isOpen() ? "open" : "lost"),
    isBroken,
  });

  async function run<Row>(
    source: StatementSource,
    read: (rows: PendingRows) => PromiseLike<unknown>,
  ): Promise<Row[]> {
    try {
      return await pool.run(client => {
        let sent: { readonly link: Link; readonly rows: PendingRows } | undefined;
        const send = (link: Link) => {
          sent = { link, rows: link.send(typeof source === "function" ? source() : source) };
          return (read(sent.rows) as PromiseLike<Row[]>).then(rows => {
            link.refuseUnconfirmed();
            return rows;
          });
        };
        return {
          rows: client.link === undefined ? client.opened.then(send) : send(client.link),
          cancel: () => sent?.link.cancel(sent.rows),
        };
      });
    } catch (error) {
      throw translate(error);
    }
  }

  return {
    query: source => run(source, rows => rows),
    queryBytes: source => run(source, rows => rows.raw()),
    load: pool.load,
    async close() {
      // A server that has vanished never says goodbye.
      await Promise.race([Promise.all([...lent].map(client => client.close())), sleep(goodbyeMilliseconds)]);
    },
  };
}

/** A link that is being opened, or is there. */
interface Lent {
  readonly opened: Promise<Link>;
  link: Link | undefined;
  close(): Promise<void>;
}

function open(connectOnce: (signal: AbortSignal) => Promise<Link>): Lent {
  const givenUp = new AbortController();
  const client: Lent = {
    opened: connectOnce(givenUp.signal),
    link: undefined,
    async close() {
      givenUp.abort();
      await client.link?.close();
    },
  };
  client.opened.then(
    link => {
      client.link = link;
      if (givenUp.signal.aborted) void link.close();
    },
    // The statement is told.
    () => {},
  );
  return client;
}

/** After an error that the server reports in good order its connection goes on; after any other it may be in any state. */
const isBroken = (error: unknown): boolean => !isReported(error) || endsConnection(error.code);
