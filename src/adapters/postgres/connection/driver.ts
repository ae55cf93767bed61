import type { Socket } from "node:net";
import { Stream } from "node:stream";
import postgres from "postgres";
import type { DatabaseServer, DatabaseUrl } from "./database-url.ts";
import {
  openingQuery,
  refuseLent,
  type SessionNeeds,
  type SessionState,
  startupParameters,
} from "./session.ts";
import type { Statement } from "./statement.ts";

/** A row as an object, or its columns as PostgreSQL wrote them, in UTF-8. */
export type RowForm = "object" | "bytes";

export type Driver = postgres.Sql;

/** The types of postgres.js know all of its options but `socket`. */
type Options = postgres.Options<Record<string, postgres.PostgresType>>;

/** What postgres.js calls back. */
type Callbacks = Pick<Options, "onnotice" | "onclose"> & { readonly socket: () => Promise<Socket> };

/** postgres.js as one connection over one socket, without its own pool, choice of servers and time-outs. */
export const makeDriver = (
  { user, password, database }: DatabaseUrl,
  server: DatabaseServer,
  callbacks: Callbacks,
): Driver =>
  postgres({
    // Only for its messages: it connects by `socket`.
    ...server,
    ...callbacks,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    database,
    max: 1,
    connect_timeout: 0,
    fetch_types: false,
    connection: startupParameters,
    types: {
      // When the driver runs a statement again, it serializes what it has serialized.
      boolean: {
        to: 16,
        from: [16],
        parse: (text: string) => text === "t",
        serialize: (value: unknown) => (value === true || value === "t" ? "t" : "f"),
      },
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
  } as Options);

/**
 * Logs in, asks what a new session is asked first, and sets its parameters.
 *
 * @returns whether the server takes writes, and the key that PostgreSQL wants to see of whoever cancels a statement
 * @throws UnsuitableDatabase or Error
 */
export async function beginSession(driver: Driver, needs: SessionNeeds) {
  type Results = readonly [postgres.RowList<[SessionState]>, readonly object[]];
  const [first, checked] = (await driver.unsafe(openingQuery(needs))) as unknown as Results;
  const [session] = first;
  refuseLent(session, first.state.pid);
  needs.check?.refuse(checked);
  return { isWritable: session.isWritable, key: first.state };
}

/** The rows of a statement. Without values it is a simple query, which may be several statements. */
export async function rowsOf(driver: Driver, { text, values }: Statement, form: RowForm) {
  const query = driver.unsafe(text, [...values] as string[], { prepare: true });
  // The driver would put rows behind those of a statement that failed half-way (porsager/postgres#1181).
  const rows: unknown[] = [];
  const outcome: unknown = await (form === "bytes" ? query.raw() : query).forEach(row => void rows.push(row));
  if (!(outcome instanceof Stream)) return rows;
  // A COPY that no statement asked for: an error of the stream would end the process.
  outcome.on("error", () => {});
  throw new Error("the server began a COPY");
}

export type ReportedError = Error & { readonly code: string };

/** Whether PostgreSQL has reported an error of the statement. One that is FATAL is of the session. */
export const isReported = (error: unknown): error is ReportedError =>
  error instanceof postgres.PostgresError && error.severity === "ERROR";
