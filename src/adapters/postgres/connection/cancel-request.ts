import { connect } from "node:net";

/** What a server tells each connection, so that another one may speak for it. */
export interface BackendKey {
  readonly pid: number;
  readonly secret: number;
}

export interface Hosts {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket, in place of hosts. */
  readonly path: string | false | undefined;
}

const cancelRequestCode = 80_877_102;
const patienceMilliseconds = 2_000;

/**
 * Asks for a statement to be given up, without waiting for what becomes of it (PostgreSQL documentation, 55.2.8).
 * Every host is asked, since only the one that gave out the key heeds it. The cancel() of postgres.js asks the first
 * host alone, and ends the process when that is down.
 */
export function requestCancel({ host, port, path }: Hosts, { pid, secret }: BackendKey): void {
  const request = Buffer.alloc(16);
  [request.length, cancelRequestCode, pid, secret].forEach((word, i) => {
    request.writeUInt32BE(word, i * 4);
  });
  const servers = path ? [{ path }] : host.map((name, i) => ({ host: name, port: port[i] ?? 5_432 }));
  for (const server of servers) {
    const socket = connect(server);
    socket.on("error", () => {}).setTimeout(patienceMilliseconds, () => socket.destroy());
    socket.end(request);
  }
}
