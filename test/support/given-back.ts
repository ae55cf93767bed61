import type { HttpServer } from "../../src/adapters/http/server/server.ts";
import { forgetSockets, heldSockets } from "./accepted-sockets.ts";
import { until } from "./until.ts";

/** What a peer or a process of PostgreSQL takes to end, on a machine under load too. */
const patienceMilliseconds = 10_000;

/** Waits until nothing is left. Fails where something is, and names it. */
export async function assertGivenBack<T>(what: string, left: () => Promise<readonly T[]>): Promise<void> {
  let found: readonly T[] = [];
  const isEmpty = async () => {
    found = await left();
    return found.length === 0;
  };
  await until(isEmpty, patienceMilliseconds).catch(() => {
    throw new Error(`${what}: ${JSON.stringify(found)}`);
  });
}

/**
 * Closes a server. Fails where it still holds something after that: each number of its load is a level, and those are 0. It also
 * fails where anything still refers to a connection that the server has accepted, whatever the server counts.
 */
export async function closeEmpty(
  server: Pick<HttpServer, "close" | "load">,
  port: number,
  graceMilliseconds: number,
  mayHold = false,
): Promise<void> {
  await server.close(graceMilliseconds);
  await assertGivenBack("a closed server still holds", async () =>
    Object.entries(server.load()).filter(([, level]) => typeof level === "number" && level !== 0),
  );
  await assertGivenBack("a closed server still refers to connections", async () =>
    mayHold ? [] : [heldSockets(port)].filter(held => held > 0),
  );
  forgetSockets(port);
  // Not collected before: it is what may refer to them.
  server.load();
}
