import type { Socket } from "node:net";
import postgres from "postgres";
import { type BackendKey, requestCancel } from "./cancel-request.ts";
import type { DatabaseUrl, Server } from "./database-url.ts";
import { dial } from "./dial.ts";
import type { Statement } from "./statement.ts";

type Access = Omit<DatabaseUrl, "servers" | "attribute">;

export type PendingRows = postgres.PendingQuery<postgres.Row[]>;

/** One connection to one server. It is never connected anew: when it is lost, so is the link. */
export interface Link {
  isOpen(): boolean;
  send(statement: Statement): PendingRows;
  /** Throws when the latest statement was committed here but perhaps not on the synchronous standby. */
  refuseUnconfirmed(): void;
  /** Asks the server to give up a statement, without waiting for what becomes of it. */
  cancel(statement: PendingRows): void;
  /** Resolves when the server has been told, whatever it is doing. */
  close(): Promise<void>;
}

/** What `target_session_attrs` asks of a server. */
export interface Role {
  readonly isWritable: boolean;
  readonly isStandby: boolean;
}

/** The server did not say in time whether it will do. */
export class SilenceError extends Error {
  override readonly name = "SilenceError";
}

/** Whether PostgreSQL itself has reported an error. */
export const isReported = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof postgres.PostgresError;

const cancelMilliseconds = 2_000;

/**
 * Connects, logs in, and asks the server for its role.
 *
 * @param signal gives it up
 * @throws Error with what went wrong; SilenceError when nothing did in time
 */
export async function openLink(
  url: Access,
  server: Server,
  prepare: boolean,
  signal: AbortSignal,
): Promise<Link & { readonly role: Role }> {
  const { encryption, connectMilliseconds } = url;
  const opening = new AbortController();
  const giveUp = () => opening.abort(signal.reason);
  signal.addEventListener("abort", giveUp);
  const timer = setTimeout(
    () => opening.abort(new SilenceError(`no answer within ${connectMilliseconds / 1_000} s`)),
    connectMilliseconds,
  );
  let isDialed = false;
  let socket: Socket | undefined;
  let isOpen = true;
  async function open(): Promise<Socket> {
    // Called again when the server ends the connection before it is ready.
    if (isDialed) throw new Error("the server closed the connection");
    isDialed = true;
    socket = await dial(server, encryption, opening.signal);
    return socket;
  }
  let isUnconfirmed = false;
  const client = postgres({
    ...optionsFor(url, prepare, open),
    // The statement succeeds all the same; the message itself may be in any language.
    onnotice: notice => {
      isUnconfirmed ||= notice["routine"] === "SyncRepWaitForLSN";
    },
    onclose: () => {
      isOpen = false;
    },
  });

  async function close(): Promise<void> {
    isOpen = false;
    if (socket === undefined) opening.abort();
    await client.end({ timeout: 0 }).catch(() => {});
    // A server that has vanished never answers the end of the connection.
    socket?.destroySoon();
  }

  try {
    const aborted = new Promise<never>((_, reject) => {
      opening.signal.addEventListener("abort", () => reject(opening.signal.reason));
    });
    const [row] = await Promise.race([client.unsafe(roleQuery), aborted]);
    return {
      role: row as unknown as Role,
      isOpen: () => isOpen,
      // Without `simple`, postgres.js has a statement without values planned anew each time.
      send: ({ text, values, isScript }) =>
        client.unsafe(text, [...values] as string[], { prepare: true, simple: isScript } as object),
      refuseUnconfirmed() {
        if (!isUnconfirmed) return;
        const message = "the wait for a synchronous standby was cancelled";
        throw Object.assign(new Error(message), { code: transactionResolutionUnknown });
      },
      cancel(statement) {
        // Not in the types of postgres.js: null until the statement has been sent.
        const { state } = statement as unknown as { readonly state: BackendKey | null };
        if (state !== null)
          void requestCancel(dial(server, encryption, AbortSignal.timeout(cancelMilliseconds)), state);
      },
      close,
    };
  } catch (error) {
    const reason = opening.signal.aborted ? opening.signal.reason : error;
    void close();
    throw reason;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

const transactionResolutionUnknown = "08007";
const roleQuery = `select current_setting('transaction_read_only') = 'off' as "isWritable", pg_is_in_recovery() as "isStandby"`;

/** The types of postgres.js know all of its options but two. */
type Options = postgres.Options<{
  bigint: postgres.PostgresType<number>;
  localDateTime: postgres.PostgresType<string>;
  bytea: postgres.PostgresType<Buffer>;
}> & {
  max_pipeline: number;
  socket: () => Promise<Socket>;
};

function optionsFor(url: Access, prepare: boolean, socket: Options["socket"]): Options {
  const { user, password, database, session } = url;
  return {
    socket,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    database,
    prepare,
    max: 1,
    max_pipeline: 1,
    // The link looks after its time and its server itself.
    connect_timeout: 0,
    fetch_types: false,
    // Otherwise the settings of the role or database would decide how the texts of statements and of rows are read.
    connection: {
      application_name: "maintenance-log",
      ...session,
      DateStyle: "ISO",
      standard_conforming_strings: "on",
    },
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
      // Not set for the session: PgBouncer refuses a client that sets bytea_output.
      bytea: { to: 17, from: [17], parse: readBytea, serialize: bytes => `\\x${bytes.toString("hex")}` },
    },
  };
}

/** In either form that `bytea_output` can choose. */
function readBytea(text: string): Buffer {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex");
  const byteOf = (_: string, code: string) =>
    code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 8));
  return Buffer.from(text.replace(/\\(\\|\d{3})/g, byteOf), "latin1");
}
