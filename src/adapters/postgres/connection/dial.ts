import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { DatabaseServer } from "./database-url.ts";
import type { EncryptionFiles } from "./encryption.ts";

/**
 * Opens a connection to a PostgreSQL server, encrypted where that is asked for, up to where a session or a request to
 * cancel a statement begins (PostgreSQL documentation, 55.2).
 *
 * @param signal destroys the connection, also later
 * @throws Error with what it met instead
 */
export async function dial(
  server: DatabaseServer,
  encryption: EncryptionFiles | undefined,
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
    if (encryption === undefined || "path" in server) return socket;
    socket.write(encryptionRequest);
    const [first] = await Promise.race([once(socket, "data"), once(socket, "close")]);
    // More than this byte would have been sent before TLS, by somebody on the way.
    if (String(first) !== "S") throw new Error("the server has no TLS");
    const { host } = server;
    // Without a host Node would compare the certificate with "localhost".
    outermost = connectSecurely({
      ...encryption.current(),
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
    });
    // One that fails after the handshake, as when the server misses a certificate, would stay open.
    outermost.on("error", () => outermost.destroy());
    await once(outermost, "secureConnect");
    return outermost;
  } catch (error) {
    // Not left to the signal: a TLS connection that failed can leave the one below it open.
    socket.destroy();
    throw error;
  }
}

const encryptionRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
