import type { HttpLimits } from "./limits.ts";

/** Open connections and requests under way now, and how many were turned away since the start. */
export interface HttpLoad {
  readonly connections: number;
  readonly requests: number;
  readonly turnedAway: TurnedAway;
}

type TurnedAway = Readonly<Record<"requests" | "connections" | "slowClients", number>>;

export type Admission = ReturnType<typeof makeAdmission>;

/** What all clients together may take of the process, and who was turned away because of it. */
export function makeAdmission(limits: Pick<HttpLimits, "connections" | "requests">) {
  let connections = 0;
  let requests = 0;
  const turnedAway = { requests: 0, connections: 0, slowClients: 0 };
  let reported: TurnedAway = { ...turnedAway };

  return {
    /** Counts a connection in any case, since one that is refused is open too; false when there are too many. */
    openConnection(): boolean {
      connections += 1;
      if (connections <= limits.connections) return true;
      turnedAway.connections += 1;
      return false;
    },
    closeConnection(): void {
      connections -= 1;
    },

    /** Whether one more request may be worked on. */
    takesRequest(): boolean {
      if (requests < limits.requests) return true;
      turnedAway.requests += 1;
      return false;
    },
    /** A request whose body has not arrived is not under way: it costs little, and must not take the place of another. */
    beginRequest(): void {
      requests += 1;
    },
    endRequest(): void {
      requests -= 1;
    },

    countSlowClient(): void {
      turnedAway.slowClients += 1;
    },

    load: (): HttpLoad => ({ connections, requests, turnedAway: { ...turnedAway } }),

    /** Who was turned away since the last report; undefined when nobody was. A line for each would be a load of its own. */
    report(): TurnedAway | undefined {
      const since = {
        requests: turnedAway.requests - reported.requests,
        connections: turnedAway.connections - reported.connections,
        slowClients: turnedAway.slowClients - reported.slowClients,
      };
      reported = { ...turnedAway };
      return Object.values(since).some(count => count > 0) ? since : undefined;
    },
  };
}
