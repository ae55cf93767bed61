import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";

export interface EmbeddedPostgres {
  /** A PostgreSQL connection URL on loopback. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves PGlite (PostgreSQL in WebAssembly, one session for everybody) to ordinary clients over TCP.
 * The ready-made socket server, 0.2.17, passes the messages of its clients on one by one, so that the unnamed portals
 * of two clients mix. Here a client has the session to itself from its first message until PostgreSQL is
 * ready for the next query outside a transaction.
 *
 * @param folder where the data is kept; without it, in memory
 */
export async function startEmbeddedPostgres(folder?: string): Promise<EmbeddedPostgres> {
  const database = await PGlite.create(folder ?? "memory://");
  // PGlite leaves a second of work to the next turn of the event loop. The first client has only two to connect.
  await nextTurn();
  const turns = makeTurns();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, socket => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serveClient(socket, database, turns).catch(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await (await turns.take)();
      await database.close();
    },
  };
}

type Release = () => void;

/** A queue of turns: each taker waits until the one before it released. */
function makeTurns(): { readonly take: Promise<Release> } {
  let last: Promise<void> = Promise.resolve();
  return {
    get take() {
      const before = last;
      let release: Release = () => {};
      last = new Promise(resolve => {
        release = resolve;
      });
      return before.then(() => release);
    },
  };
}

async function serveClient(socket: Socket, database: PGlite, turns: { readonly take: Promise<Release> }) {
  socket.on("error", () => socket.destroy());
  let release: Release | undefined;
  let inTransaction = false;
  try {
    for await (const message of frontendMessages(socket)) {
      if (isEncryptionRequest(message)) {
        socket.write("N");
        continue;
      }
      if (isCancelRequest(message) || message[0] === Terminate) break;
      release ??= await turns.take;
      const answer = await database.execProtocolRaw(message);
      socket.write(answer);
      const status = readyStatus(answer);
      if (status === undefined) continue;
      inTransaction = status !== Idle;
      if (inTransaction) continue;
      release();
      release = undefined;
    }
  } finally {
    // A client that left in mid-query must not leave its transaction to the next one.
    if (release !== undefined) {
      await database.execProtocolRaw(Buffer.from([Sync, 0, 0, 0, 4]));
      if (inTransaction) await database.exec("rollback");
      release();
    }
    socket.end();
  }
}

const Terminate = "X".charCodeAt(0);
const Sync = "S".charCodeAt(0);
const ReadyForQuery = "Z".charCodeAt(0);
const Idle = "I".charCodeAt(0);
const startupCodes = { cancel: 80877102, ssl: 80877103, gss: 80877104 };

/** Only the first messages of a connection have no type byte; their length therefore starts with a zero byte. */
const isStartup = (message: Buffer) => message[0] === 0;
const startupCode = (message: Buffer) => (isStartup(message) ? message.readInt32BE(4) : undefined);
const isCancelRequest = (message: Buffer) => startupCode(message) === startupCodes.cancel;
const isEncryptionRequest = (message: Buffer) => {
  const code = startupCode(message);
  return code === startupCodes.ssl || code === startupCodes.gss;
};

/** Cuts the byte stream into whole messages (PostgreSQL documentation, "Message Formats"). */
async function* frontendMessages(socket: Socket): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= 5) {
      const length = isStartup(rest) ? rest.readInt32BE(0) : 1 + rest.readInt32BE(1);
      if (rest.length < length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
}

/** The transaction status of the ReadyForQuery message in an answer, if it has one. */
function readyStatus(answer: Uint8Array): number | undefined {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  let status: number | undefined;
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes[at] === ReadyForQuery) status = bytes[at + 5];
  }
  return status;
}
