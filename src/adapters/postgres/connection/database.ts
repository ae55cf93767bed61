import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type BackendKey, requestCancel } from "./cancel-request.ts";
import { isUnavailable, translate } from "./errors.ts";
import { makePool, type PoolLimits, type PoolLoad } from "./pool.ts";
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

type Client = postgres.Sql<{ bigint: number; localDateTime: string }>;
type PendingRows = postgres.PendingQuery<postgres.Row[]>;

export const serviceLimits: PoolLimits = { connections: 10, deadlineMilliseconds: 5_000, waiting: 1_000 };

const goodbyeMilliseconds = 500;

/** For commands, which run one statement after the other and may take their time over a migration. */
export const commandLimits: PoolLimits = { connections: 1, deadlineMilliseconds: 3_600_000, waiting: 0 };

/**
 * Opens connections when statements need them, so that a database which is down is an error of the statement, not
 * of the process.
 *
 * @param url `postgres://user:password@host[:port][,host[:port]…]/database[?parameters]`
 * @param prepares whether statements are named and kept by the server's connection, which must then be ours alone
 */
export function connect(url: string, limits: PoolLimits = serviceLimits, prepares = true): Database {
  const links = new Set<Link>();
  const pool = makePool<Link>(limits, {
    open() {
      const link = openLink(url, optionsFor(url, prepares));
      links.add(link);
      return link;
    },
    close(link) {
      links.delete(link);
      void end(link);
    },
    isBroken,
  });

  async function run<Row>(
    source: StatementSource,
    read: (rows: PendingRows) => PromiseLike<unknown>,
  ): Promise<Row[]> {
    try {
      return await pool.run(link => {
        const { text, values } = typeof source === "function" ? source() : source;
        const rows = link.client.unsafe<postgres.Row[]>(text, [...values], { prepare: true });
        return { rows: settled(link, read(rows) as PromiseLike<Row[]>), cancel: () => cancel(link, rows) };
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
      // A host that has vanished never says goodbye.
      await Promise.race([Promise.all([...links].map(end)), sleep(goodbyeMilliseconds)]);
    },
  };
}

/** A client of one connection, and how to tell the statement under way that the connection is lost. */
interface Link {
  readonly client: Client;
  fail: (error: Error) => void;
}

function openLink(url: string, options: Options): Link {
  const onclose = () =>
    link.fail(Object.assign(new Error("connection closed"), { code: "CONNECTION_CLOSED" }));
  const link: Link = { client: postgres(url, { ...options, onclose }), fail: () => {} };
  return link;
}

/**
 * With several hosts, postgres.js takes the loss of a connection under its first statement for an attempt that failed,
 * and leaves the statement waiting: all that is heard of it is that the connection was closed.
 */
const settled = <Row>(link: Link, rows: PromiseLike<Row[]>): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    link.fail = reject;
    rows.then(resolve, reject);
  });

function cancel({ client: { options } }: Link, statement: object): void {
  // Not in the types of postgres.js: null until the statement has been sent.
  const { state } = statement as { readonly state: BackendKey | null };
  if (state !== null) requestCancel(options, state);
}

/** Nobody waits for an answer any more when this is called. */
const end = ({ client }: Link): Promise<void> => client.end({ timeout: 0 }).catch(() => {});

/** After an error that the server reports in good order its connection goes on; after any other it may be in any state. */
const isBroken = (error: unknown): boolean =>
  !(error instanceof postgres.PostgresError) || isUnavailable(error.code);

/** The types of postgres.js know all of its options but one. */
type Options = postgres.Options<{
  bigint: postgres.PostgresType<number>;
  localDateTime: postgres.PostgresType<string>;
}> & {
  max_pipeline: number;
};

function optionsFor(url: string, prepare: boolean): Options {
  return {
    prepare,
    max: 1,
    max_pipeline: 1,
    // A standby calls itself read-write as long as nobody made it read-only by default; it is not the primary.
    ...(/[?&]target_session_attrs=read-write(&|$)/.test(url) && { target_session_attrs: "primary" }),
    // Seconds; with a second host there is time left to try it before the deadline.
    connect_timeout: 2,
    // Seconds between attempts to connect; the default grows until an error takes 18 s to show.
    backoff: () => 0.05,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "maintenance-log", DateStyle: "ISO" },
    types: {
      // Identifiers stay far below 2^53.
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      // The text as PostgreSQL writes it: a Date would apply the time zone of the process.
      localDateTime: {
        to: 1114,
        from: [1114],
        parse: (text: string) => text.replace(" ", "T"),
        serialize: (text: string) => text,
      },
    },
  };
}
