import { UnsuitableDatabase } from "../../../application/unsuitable-database.ts";
import { DomainError } from "../../../domain/error.ts";
import type { Server } from "./database-url.ts";
import { nameOf } from "./dial.ts";

interface Found {
  readonly isWritable: boolean;
  close(): Promise<void>;
}

const restMilliseconds = 250;

/**
 * Chooses the server for each new connection. Tries one after the other: the one that did last time first, those that
 * failed last. When none will do, it fails at once for a short rest, so that a database which is down or has no
 * primary is not asked by every statement. The function that it returns throws UNAVAILABLE.
 */
export function makeServers<Link extends Found>(
  servers: readonly Server[],
  needsWrites: boolean,
  open: (server: Server, signal: AbortSignal) => Promise<Link>,
  now = () => performance.now(),
) {
  const order = [...servers];
  let failure: DomainError | undefined;
  let restsUntil = 0;

  function move(server: Server, to: number): void {
    order.splice(order.indexOf(server), 1);
    order.splice(to, 0, server);
  }

  return async (signal: AbortSignal): Promise<Link> => {
    if (failure !== undefined && now() < restsUntil) throw failure;
    const faults: string[] = [];
    const unsuitable: UnsuitableDatabase[] = [];
    for (const server of [...order]) {
      try {
        const link = await open(server, signal);
        if (link.isWritable || !needsWrites) {
          move(server, 0);
          return link;
        }
        void link.close();
        faults.push(`${nameOf(server)}: takes no writes`);
      } catch (error) {
        signal.throwIfAborted();
        move(server, order.length);
        if (error instanceof UnsuitableDatabase) unsuitable.push(error);
        // An error of node:net for a name with several addresses has no message; one of OpenSSL ends a line.
        const { message, code } = error as NodeJS.ErrnoException;
        faults.push(`${nameOf(server)}: ${message.trim() || code}`);
      }
    }
    restsUntil = now() + restMilliseconds;
    // One of several servers that cannot be reached may be the right one.
    const [first] = unsuitable.length === servers.length ? unsuitable : [];
    const cause = first ?? new Error(faults.join("; "));
    failure = new DomainError("UNAVAILABLE", "The database is not available", { cause });
    throw failure;
  };
}
