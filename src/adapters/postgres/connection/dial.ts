import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { Server } from "./database-url.ts";
import type { Encryption } from "./encryption.ts";

/**
 * Opens a connection to a PostgreSQL server, encrypted where that is asked for, up to where a session or a request to
 * cancel a statement begins (PostgreSQL documentation, 55.2).
 *
 * @param signal destroys the connection, also later
 * @throws Error with what it met instead
 */
export async function dial(
  server: Server,
  encryption: Encryption | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({ ...server });
  // A caller that waits gets a rejection; without a listener the error would end the process.
  socket.on("error", () => {});
  // The socket below TLS must not be destroyed by itself: postgres.js would still write to the TLS connection, and
  // nobody would listen for the error.
  let outermost: Socket = socket;
  const destroy = () => outermost.destroy(signal.reason);
  signal.addEventListener("abort", destroy);
  if (signal.aborted) destroy();
  try {
    await once(socket, "connect");
    // libpq does not encrypt on this machine either.
    if (encryption === undefined || "path" in server) return watchGreeting(socket);
    const answer = await askForEncryption(socket);
    if (answer.length === 1 && answer[0] === yes) {
      outermost = encrypt(socket, server.host, encryption);
      await once(outermost, "secureConnect");
      return watchGreeting(outermost);
    }
    if (answer[0] !== no) throw new Error(whatAnswered(answer));
    if (encryption.isRequired) throw new Error("the server has no TLS");
    return watchGreeting(socket);
  } catch (error) {
    // Not left to the signal: a TLS connection that failed can leave the one below it open.
    socket.destroy();
    throw error;
  }
}

/** How a server is called in messages. */
export const nameOf = (server: Server): string =>
  "path" in server
    ? server.path
    : `${isIP(server.host) === 6 ? `[${server.host}]` : server.host}:${server.port}`;

const encryptionRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const [yes, no] = ["S".charCodeAt(0), "N".charCodeAt(0)];

function askForEncryption(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed when TLS was asked for")));
    socket.once("data", resolve);
    socket.write(encryptionRequest);
  });
}

function encrypt(socket: Socket, host: string, { verifies, context }: Encryption): Socket {
  const secured = connectSecurely({
    socket,
    // What the certificate must name: without it Node compares with "localhost".
    host,
    ...(isIP(host) === 0 && { servername: host }),
    secureContext: context,
    rejectUnauthorized: verifies !== "nothing",
    ...(verifies === "authority" && { checkServerIdentity: () => undefined }),
  });
  // One that fails after the handshake, as when the server misses a certificate, would stay open.
  return secured.on("error", () => secured.destroy());
}

/** The first bytes of PostgreSQL's answers: authentication, error, other version of the protocol, notice. */
const greetings = [..."REvN"].map(letter => letter.charCodeAt(0));

/**
 * Ends a connection to something else at its first bytes, after which postgres.js would wait for more. PostgreSQL does not
 * speak first, so that postgres.js is there to read when bytes come.
 */
function watchGreeting(socket: Socket): Socket {
  socket.once("data", first => {
    if (!greetings.includes(first[0] ?? 0)) socket.destroy(new Error(whatAnswered(first)));
  });
  return socket;
}

const shownBytes = 40;

const whatAnswered = (bytes: Buffer): string =>
  `this is not PostgreSQL: it answered ${JSON.stringify(bytes.toString("latin1", 0, shownBytes).split(/[\r\n]/, 1)[0])}`;
