import postgres from "postgres";
import { translate } from "./errors.ts";

export type Sql = postgres.Sql<{ bigint: number; localDateTime: string }>;
export type Statement<Row extends object> = (sql: Sql) => postgres.PendingQuery<Row[]>;

/** The one way to the database: statements in, rows or a DomainError out. */
export interface Database {
  query<Row extends object>(statement: Statement<Row>): Promise<Row[]>;
  close(): Promise<void>;
}

/** The types of postgres.js know all of its options but one. */
type Options = postgres.Options<{
  bigint: postgres.PostgresType<number>;
  localDateTime: postgres.PostgresType<string>;
}> & {
  max_pipeline: number;
};

/**
 * Opens connections when statements need them, so that a database which is down is an error of the statement, not
 * of the process.
 *
 * @param url `postgres://user:password@host[:port][,host[:port]…]/database[?parameters]`
 */
export function connect(url: string, maxConnections = 10): Database {
  const options: Options = {
    max: maxConnections,
    // One statement at a time on a connection: with more, a lost connection can leave others waiting for ever.
    max_pipeline: 1,
    connect_timeout: 5,
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
  const sql: Sql = postgres(url, options);
  return {
    async query(statement) {
      try {
        return await statement(sql);
      } catch (error) {
        throw translate(error);
      }
    },
    // Nobody waits for an answer any more when this is called.
    close: () => sql.end({ timeout: 1 }),
  };
}
