import type { PoolLoad } from "../../../application/figures.ts";
import type { DatabaseUrl } from "./database-url.ts";
import type { RowForm } from "./driver.ts";
import { type Link, openLink } from "./link.ts";
import { Pool, type PoolLimits } from "./pool.ts";
import { DatabaseServers } from "./servers.ts";
import type { SessionNeeds } from "./session.ts";
import { isRefused, translate } from "./sqlstate.ts";
import type { Statement } from "./statement.ts";

/** A statement, or what makes it when there is a connection for it. */
export type StatementSource = Statement | (() => Statement);

/** The columns of a row as PostgreSQL wrote them, in UTF-8. */
export type Bytes = readonly (Buffer | null)[];

/** The one way to the database: statements in, rows or a DomainError out. Each is its own transaction. */
export interface Database {
  /** @param read checks each row (rows.ts). Without it, what is said of the rows is not checked. */
  query<Row extends object>(source: StatementSource, read?: (row: object) => Row): Promise<Row[]>;
  /** Leaves the rows unread, to hand through what PostgreSQL has rendered. */
  queryBytes(source: StatementSource): Promise<Bytes[]>;
  load(): PoolLoad;
  close(): Promise<void>;
}

export const serviceLimits: PoolLimits = { connections: 10, deadlineMilliseconds: 5_000, waiting: 1_000 };

/** For a probe of the database, as patient as the service is with a statement. */
export const probeLimits: PoolLimits = { ...serviceLimits, connections: 1, waiting: 0 };

/**
 * For numbering, on a connection of its own: no request waits for it. With ten million records a statement takes a second at most.
 * After a server has frozen, nothing is signed for as long as this deadline.
 */
export const trailLimits: PoolLimits = { connections: 1, deadlineMilliseconds: 15_000, waiting: 10 };

/** For commands, which may take their time over a migration. */
export const commandLimits: PoolLimits = { connections: 1, deadlineMilliseconds: 3_600_000, waiting: 10 };

/**
 * Opens connections when statements need them, so that a database which is down is an error of the statement, not
 * of the process.
 *
 * @param needs what each new connection is asked, and has to keep
 * @param servers shared by the pools that have to use one server
 */
export function connect(
  url: DatabaseUrl,
  limits: PoolLimits = serviceLimits,
  needs: SessionNeeds = {},
  servers = new DatabaseServers(url),
): Database {
  return makeDatabase(
    new Pool<Link>(limits, {
      open: signal => servers.open((server, opening) => openLink(url, server, needs, opening), signal),
      isBroken: error => !isRefused(error),
      isUsable: link => link.isOpen() && servers.isCurrent(link),
      suspect: link => servers.suspect(link),
    }),
  );
}

/** Statements over a pool of links. */
export function makeDatabase(pool: Pool<Link>): Database {
  const run = <Row>(source: StatementSource, form: RowForm, read?: (row: object) => Row) =>
    pool.run(async link => {
      try {
        const rows = await link.send(typeof source === "function" ? source() : source, form);
        return read === undefined ? (rows as Row[]) : rows.map(row => read(row as object));
      } catch (error) {
        throw translate(error, link.server.name);
      }
    });

  return {
    query: (source, read) => run(source, "object", read),
    queryBytes: source => run(source, "bytes"),
    load: () => pool.load(),
    close: () => pool.close(),
  };
}
