import type { HttpLoad, TurnedAway } from "../../../application/figures.ts";
import type { Allowance } from "../request/body.ts";
import type { HttpLimits } from "./limits.ts";

const nobody = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };

type Bounds = Pick<HttpLimits, "requests" | "bodyBytes" | "bodyBytesWithoutToken">;

/** What all clients together may take of the process, and who was turned away because of it. */
export function makeAdmission(limits: Bounds) {
  let requests = 0;
  const bodyBytes = { all: 0, withoutToken: 0 };
  /** Gives up bodies of requests without a token, of which the rest has not come: the longest wait first. */
  const strangers = new Set<() => void>();
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
    let giveUp = (): void => {};
    const taken = { all: 0, withoutToken: 0 };
    function release(): void {
      bodyBytes.all -= taken.all;
      bodyBytes.withoutToken -= taken.withoutToken;
      Object.assign(taken, { all: 0, withoutToken: 0 });
    }
    return {
      takeBytes(bytes, hasToken) {
        const withoutToken = hasToken ? 0 : bytes;
        const exceeds = () => bodyBytes.withoutToken + withoutToken > limits.bodyBytesWithoutToken;
        // Otherwise bodies that never end would keep everybody from logging in.
        for (const giveUpOther of strangers) {
          if (!exceeds()) break;
          if (giveUpOther !== giveUp) giveUpOther();
        }
        if (exceeds() || bodyBytes.all + bytes > limits.bodyBytes) {
          turnAway("bodies");
          return false;
        }
        for (const count of [bodyBytes, taken]) {
          count.all += bytes;
          count.withoutToken += withoutToken;
        }
        return true;
      },
      beginWait(refuse) {
        isWaiting = true;
        requests -= 1;
        giveUp = () => {
          turnAway("bodies");
          release();
          strangers.delete(giveUp);
          refuse();
        };
        if (taken.withoutToken > 0) strangers.add(giveUp);
      },
      endWait() {
        isWaiting = false;
        requests += 1;
        strangers.delete(giveUp);
      },
      end() {
        if (isOver) return;
        isOver = true;
        if (!isWaiting) requests -= 1;
        release();
        strangers.delete(giveUp);
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
