import type { Socket } from "node:net";

/** What a server tells each connection, so that another one may speak for it. */
export interface BackendKey {
  readonly pid: number;
  readonly secret: number;
}

const cancelRequestCode = 80_877_102;

/**
 * Asks for a statement to be given up, without waiting for what becomes of it (PostgreSQL documentation, 55.2.8).
 *
 * @param dialed another connection to the server that gave out the key
 */
export async function requestCancel(dialed: Promise<Socket>, { pid, secret }: BackendKey): Promise<void> {
  const request = Buffer.alloc(16);
  [request.length, cancelRequestCode, pid, secret].forEach((word, i) => {
    request.writeUInt32BE(word, i * 4);
  });
  try {
    (await dialed).end(request);
  } catch {
    // A server that cannot be reached has given it up, or will not hear of it.
  }
}
