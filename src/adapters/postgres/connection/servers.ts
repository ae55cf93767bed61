import { randomInt } from "node:crypto";
import { DomainError } from "../../../domain/error.ts";
import type { DatabaseUrl, Server } from "./database-url.ts";
import { nameOf } from "./dial.ts";
import { type Role, SilenceError } from "./link.ts";

interface Found {
  readonly role: Role;
  close(): Promise<void>;
}

/** Undefined when the server will do, or why it will not. */
const refusals: Readonly<Record<DatabaseUrl["attribute"], (role: Role) => string | undefined>> = {
  any: () => undefined,
  "read-write": ({ isWritable }) => (isWritable ? undefined : "takes no writes"),
  "read-only": ({ isWritable }) => (isWritable ? "takes writes" : undefined),
  primary: ({ isStandby }) => (isStandby ? "is a standby" : undefined),
  standby: ({ isStandby }) => (isStandby ? undefined : "is no standby"),
  "prefer-standby": ({ isStandby }) => (isStandby ? undefined : "is no standby"),
};

/** For all servers together: a command ends within 10 s, however many hosts are silent. */
const roundMilliseconds = 9_000;

const restMilliseconds = { shortest: 50, longest: 1_000 };

/**
 * Chooses the server for each new connection. Tries one after the other: the one that did last time first, those that
 * did not answer last.
 *
 * When none will do, it fails at once until the next attempt is due, and makes only one attempt at a time: a database that
 * is down or has no primary is not asked more than a few times a second, by however many statements. The first attempt
 * after a failure is due at once, and then there are up to a second and a random part less between them.
 */
export function makeServers<Link extends Found>(
  servers: readonly Server[],
  attribute: DatabaseUrl["attribute"],
  open: (server: Server, signal: AbortSignal) => Promise<Link>,
  now = () => performance.now(),
) {
  const order = [...servers];
  const rounds = attribute === "prefer-standby" ? ([attribute, "any"] as const) : [attribute];
  let failures = 0;
  let dueAt = 0;
  let isTrying = false;
  let failure: DomainError | undefined;

  async function tryAll(signal: AbortSignal): Promise<Link> {
    const faults: Error[] = [];
    const noTime = AbortSignal.timeout(roundMilliseconds);
    const round = AbortSignal.any([signal, noTime]);
    for (const [wanted, server] of rounds.flatMap(wanted => order.map(server => [wanted, server] as const))) {
      try {
        round.throwIfAborted();
        const link = await open(server, round);
        const refusal = refusals[wanted](link.role);
        if (refusal === undefined) {
          move(server, 0);
          return link;
        }
        void link.close();
        faults.push(describe(server, new Error(refusal)));
      } catch (error) {
        signal.throwIfAborted();
        if (noTime.aborted) {
          faults.push(
            describe(server, new Error(`no answer within ${roundMilliseconds / 1_000} s of all hosts`)),
          );
          break;
        }
        if (error instanceof SilenceError) move(server, order.length);
        faults.push(describe(server, error));
      }
    }
    const [only] = faults;
    const cause = faults.length === 1 ? only : new Error(faults.map(({ message }) => message).join("; "));
    throw new DomainError("UNAVAILABLE", "The database is not available", { cause });
  }

  function move(server: Server, to: number): void {
    order.splice(order.indexOf(server), 1);
    order.splice(to, 0, server);
  }

  return {
    /** Throws UNAVAILABLE when no server will do. */
    async connect(signal: AbortSignal): Promise<Link> {
      if (failure !== undefined && (isTrying || now() < dueAt)) throw failure;
      const before = failures;
      isTrying = true;
      try {
        const link = await tryAll(signal);
        failures = 0;
        failure = undefined;
        return link;
      } catch (error) {
        // Attempts that began together fail together, and count once.
        if (error instanceof DomainError && failures === before) {
          failures += 1;
          failure = error;
          dueAt = now() + restAfter(failures);
        }
        throw error;
      } finally {
        isTrying = false;
      }
    },
  };
}

function restAfter(failures: number): number {
  if (failures < 2) return 0;
  const { shortest, longest } = restMilliseconds;
  const rest = Math.min(longest, shortest * 2 ** (failures - 2));
  return rest / 2 + randomInt(rest / 2 + 1);
}

/** An error of node:net for a name with several addresses has no message of its own; one of OpenSSL ends a line. */
function describe(server: Server, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException;
  return Object.assign(new Error(`${nameOf(server)}: ${message.trim() || code}`), { code });
}
