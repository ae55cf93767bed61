import type { Socket } from "node:net";
import { Stream } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import postgres from "postgres";
import type { DatabaseServer, DatabaseUrl } from "./database-url.ts";
import { dial, nameOf } from "./dial.ts";
import type { PooledConnection } from "./pool.ts";
import {
  openingQuery,
  refuseLent,
  type SessionNeeds,
  type SessionState,
  startupParameters,
} from "./session.ts";
import type { Statement } from "./statement.ts";

type Access = Omit<DatabaseUrl, "servers" | "needsWrites">;

/** A row as an object, or its columns as PostgreSQL wrote them, in UTF-8. */
export type RowForm = "object" | "bytes";

/** One connection to one server. It is never connected anew: when it is lost, so is the link. */
export interface Link extends PooledConnection {
  /** Whether the server took writes when the link was opened. */
  readonly isWritable: boolean;
  /** False once it is lost, or has been used as long as it may. */
  isOpen(): boolean;
  send(statement: Statement, form: RowForm): Promise<unknown[]>;
  /** Throws when the latest statement was committed here but perhaps not on the synchronous standby. */
  refuseUnconfirmed(): void;
}

class PostgresLink implements Link {
  readonly server: string;
  isWritable = false;
  readonly #client: postgres.Sql;
  /** Another connection to the same server. */
  readonly #dial: (signal: AbortSignal) => Promise<Socket>;
  #socket: Promise<Socket> | undefined;
  /** What PostgreSQL wants to see of whoever cancels a statement. */
  #key = { pid: 0, secret: 0 };
  #isOpen = true;
  /** In elapsed milliseconds. */
  #usedUntil = Number.POSITIVE_INFINITY;
  /** Never reset: the error of `refuseUnconfirmed` is no refusal of a statement, so that the pool discards the link. */
  #isUnconfirmed = false;

  /** @param opening gives it up until it has begun */
  constructor(access: Access, server: DatabaseServer, opening: AbortSignal) {
    this.server = nameOf(server);
    this.#dial = signal => dial(server, access.encryption, signal);
    this.#client = postgres({
      ...optionsFor(access, server),
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
    } as Options);
  }

  /** Logs in, asks the server what the session needs to know, and sets its parameters. Throws UnsuitableDatabase or Error. */
  async begin(needs: SessionNeeds): Promise<void> {
    type Results = readonly [postgres.RowList<[SessionState]>, readonly object[]];
    const [first, checked] = (await this.#client.unsafe(openingQuery(needs))) as unknown as Results;
    const [session] = first;
    this.#key = first.state;
    refuseLent(session, this.#key.pid);
    needs.check?.refuse(checked);
    this.isWritable = session.isWritable;
    this.#usedUntil = performance.now() + (needs.keptMilliseconds ?? Number.POSITIVE_INFINITY);
  }

  isOpen(): boolean {
    return this.#isOpen && performance.now() < this.#usedUntil;
  }

  /** Without values it is a simple query, which may be several statements. */
  async send({ text, values }: Statement, form: RowForm): Promise<unknown[]> {
    const query = this.#client.unsafe(text, [...values] as string[], { prepare: true });
    // The driver would put rows behind those of a statement that failed half-way (porsager/postgres#1181).
    const rows: unknown[] = [];
    refuseCopy(await (form === "bytes" ? query.raw() : query).forEach(row => void rows.push(row)));
    return rows;
  }

  refuseUnconfirmed(): void {
    if (!this.#isUnconfirmed) return;
    // Transaction resolution unknown.
    throw Object.assign(new Error("the wait for a synchronous standby was cancelled"), { code: "08007" });
  }

  cancel(): void {
    const { pid, secret } = this.#key;
    const request = Buffer.alloc(16);
    for (const [i, word] of [16, cancelCode, pid, secret].entries()) request.writeUInt32BE(word, 4 * i);
    this.#dial(AbortSignal.timeout(connectMilliseconds)).then(
      socket => socket.end(request),
      // A server that cannot be reached has given the statement up, or will not hear of it.
      () => {},
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#client.end({ timeout: 0 }).catch(() => {});
    // A server that has vanished never confirms the end of the connection.
    (await this.#socket)?.destroySoon();
  }
}

/** postgres.js makes a stream of a COPY that no statement asked for, and its error would end the process. */
function refuseCopy(outcome: unknown): void {
  if (!(outcome instanceof Stream)) return;
  outcome.on("error", () => {});
  throw Object.assign(new Error("the server began a COPY"), { code: "08P01" });
}

/** Whether PostgreSQL has reported an error of the statement. One that is FATAL is of the session. */
export const isReported = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof postgres.PostgresError && error.severity === "ERROR";

/** What one server may take until it can be asked something, and to take a request to cancel. */
const connectMilliseconds = 2_000;

/**
 * Opens a link within two seconds.
 *
 * @param signal gives it up
 * @throws UnsuitableDatabase where the server will not do, or Error with what went wrong
 */
export async function openLink(
  access: Access,
  server: DatabaseServer,
  needs: SessionNeeds,
  signal: AbortSignal,
): Promise<Link> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error("no response within 2 s")), connectMilliseconds);
  const opening = AbortSignal.any([signal, silence.signal]);
  const link = new PostgresLink(access, server, opening);
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

/** PostgreSQL documentation, 55.2.8. */
const cancelCode = 80_877_102;

/** The types of postgres.js know all of its options but `socket`. */
type Options = postgres.Options<Record<string, postgres.PostgresType>>;

function optionsFor({ user, password, database }: Access, server: DatabaseServer): Options {
  return {
    // Only for its messages: it connects by `socket`.
    ...server,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    database,
    max: 1,
    // The link looks after its time and its server itself.
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
  };
}

/** Resolves when what the database has sent is read and statements that were begun are sent: the driver sends them a turn later. */
export async function statementsSent(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
