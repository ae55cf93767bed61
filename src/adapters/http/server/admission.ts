import type { HttpLoad, TurnedAway } from "../../../application/figures.ts";
import type { Share } from "../request/body.ts";
import type { HttpLimits } from "./limits.ts";

type Bounds = Pick<HttpLimits, "requests" | "bodyBytes" | "bodyBytesWithoutToken">;

/** What all clients together may take of the process, and who was turned away because of it. */
export function makeAdmission(limits: Bounds) {
  let requests = 0;
  const bodyBytes = { all: 0, withoutToken: 0 };
  const turnedAway = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };
  let reported: TurnedAway = { ...turnedAway };

  function takeBytes(bytes: number, hasToken: boolean): boolean {
    const withoutToken = hasToken ? 0 : bytes;
    const fits =
      bodyBytes.all + bytes <= limits.bodyBytes &&
      bodyBytes.withoutToken + withoutToken <= limits.bodyBytesWithoutToken;
    if (!fits) {
      turnedAway.bodies += 1;
      return false;
    }
    bodyBytes.all += bytes;
    bodyBytes.withoutToken += withoutToken;
    return true;
  }

  /** A request under way. */
  function openRequest(): Share {
    requests += 1;
    let isWaiting = false;
    let isOver = false;
    const taken = { all: 0, withoutToken: 0 };
    return {
      takeBytes(bytes, hasToken) {
        if (!takeBytes(bytes, hasToken)) return false;
        taken.all += bytes;
        if (!hasToken) taken.withoutToken += bytes;
        return true;
      },
      beginWait() {
        isWaiting = true;
        requests -= 1;
      },
      endWait() {
        isWaiting = false;
        requests += 1;
      },
      end() {
        if (isOver) return;
        isOver = true;
        if (!isWaiting) requests -= 1;
        bodyBytes.all -= taken.all;
        bodyBytes.withoutToken -= taken.withoutToken;
      },
    };
  }

  return {
    /** Undefined when there are too many requests already. */
    openRequest(): ReturnType<typeof openRequest> | undefined {
      if (requests < limits.requests) return openRequest();
      turnedAway.requests += 1;
      return undefined;
    },

    turnAway(what: "connections" | "slowClients"): void {
      turnedAway[what] += 1;
    },

    load: (): Omit<HttpLoad, "connections"> => ({
      requests,
      bodyBytes: bodyBytes.all,
      turnedAway: { ...turnedAway },
    }),

    /** Who was turned away since the last report; undefined when there is none. A line for each would be a load of its own. */
    report(): TurnedAway | undefined {
      const since = {
        requests: turnedAway.requests - reported.requests,
        bodies: turnedAway.bodies - reported.bodies,
        connections: turnedAway.connections - reported.connections,
        slowClients: turnedAway.slowClients - reported.slowClients,
      };
      reported = { ...turnedAway };
      return Object.values(since).some(count => count > 0) ? since : undefined;
    },
  };
}
