import type { HttpLoad, TurnedAway } from "../../../application/figures.ts";
import type { Allowance } from "../request/body.ts";
import type { HttpLimits } from "./limits.ts";

const nobody = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };

type Bounds = Pick<HttpLimits, "requests" | "bodyBytes" | "bodyBytesWithoutToken">;

/** What all clients together may take of the process, and who was turned away because of it. */
export function makeAdmission(limits: Bounds) {
  let requests = 0;
  const bodyBytes = { all: 0, withoutToken: 0 };
  const turnedAway = { ...nobody };
  let unreported = { ...nobody };
  function turnAway(what: keyof TurnedAway): void {
    turnedAway[what] += 1;
    unreported[what] += 1;
  }

  /** A request under way. */
  function openRequest(): Allowance {
    requests += 1;
    let isWaiting = false;
    let isOver = false;
    const taken = { all: 0, withoutToken: 0 };
    return {
      takeBytes(bytes, hasToken) {
        const withoutToken = hasToken ? 0 : bytes;
        const fits =
          bodyBytes.all + bytes <= limits.bodyBytes &&
          bodyBytes.withoutToken + withoutToken <= limits.bodyBytesWithoutToken;
        if (!fits) {
          turnAway("bodies");
          return false;
        }
        for (const count of [bodyBytes, taken]) {
          count.all += bytes;
          count.withoutToken += withoutToken;
        }
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
    openRequest(): Allowance | undefined {
      if (requests < limits.requests) return openRequest();
      turnAway("requests");
      return undefined;
    },

    turnAway,

    load: (): Omit<HttpLoad, "connections"> => ({
      requests,
      bodyBytes: bodyBytes.all,
      turnedAway: { ...turnedAway },
    }),

    /** Who was turned away since the last report; undefined when there is none. A line for each would be a load of its own. */
    report(): TurnedAway | undefined {
      const since = unreported;
      unreported = { ...nobody };
      return Object.values(since).some(count => count > 0) ? since : undefined;
    },
  };
}
