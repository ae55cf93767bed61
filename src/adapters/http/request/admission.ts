import type { HttpLoad, TurnedAway } from "../../../application/figures.ts";
import type { Caller } from "../../../application/ports.ts";

/** The phases of an exchange (exchange.ts) in their order: it may skip some, and never goes back. */
export const phases = [
  "arrived",
  "checking",
  "receiving",
  "working",
  "sending",
  "finishing",
  "closed",
] as const;
export type Phase = (typeof phases)[number];

const takesPlace = (phase: Phase): boolean =>
  phase === "checking" || phase === "working" || phase === "sending";
const keepsBody = (phase: Phase): boolean => phase !== "finishing" && phase !== "closed";

/** What an exchange takes of the process. */
export interface Share {
  /** Written by `Admission` alone. */
  phase: Phase;
  /** The memory for its body. Written by `Admission` alone. */
  bodyBytes: number;
  /** Known before the body is read; undefined without a token. */
  readonly caller: Caller | undefined;
  /** Ends the wait for the body with 503, since another one needs its memory. */
  readonly giveUp: () => void;
}

/** Bounds on what all clients together may take of the process. */
export interface AdmissionLimits {
  /** Places: requests that are checked, worked on or sent at one time, of all connections. */
  readonly requests: number;
  /** The bytes of all bodies. */
  readonly bodyBytes: number;
  /** Those of requests without a token, so that requests with a token are served during an attack without one. */
  readonly bodyBytesWithoutToken: number;
}

const noCounts = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };

/**
 * Decides whether an exchange may go on, and whose body is given up for another one; counts who was turned away.
 * The sums are those over all exchanges, kept up to date by `#change`, which alone writes a phase and the bytes of a body.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #sums = { places: 0, bodyBytes: 0, bodyBytesWithoutToken: 0 };
  /** Those without a token that wait for the rest of a body: the longest wait first. */
  readonly #waiting = new Set<Share>();
  readonly #turnedAway = { ...noCounts };
  #unreported = { ...noCounts };

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Brings an exchange into a phase; false when it needs a place there and all are taken. */
  enter(exchange: Share, phase: Phase): boolean {
    const needsPlace = takesPlace(phase) && !takesPlace(exchange.phase);
    if (needsPlace && this.#sums.places >= this.#limits.requests) {
      this.turnAway("requests");
      return false;
    }
    this.#change(exchange, phase, keepsBody(phase) ? exchange.bodyBytes : 0);
    return true;
  }

  /** Takes so much memory for the body of an exchange; false when there is not enough. */
  hold(exchange: Share, bytes: number): boolean {
    const more = bytes - exchange.bodyBytes;
    const moreWithoutToken = exchange.caller === undefined ? more : 0;
    const exceeds = () =>
      this.#sums.bodyBytesWithoutToken + moreWithoutToken > this.#limits.bodyBytesWithoutToken;
    // Otherwise bodies that never end would keep everybody from logging in.
    for (const other of this.#waiting) {
      if (!exceeds()) break;
      if (other !== exchange) this.#giveUp(other);
    }
    if (exceeds() || this.#sums.bodyBytes + more > this.#limits.bodyBytes) {
      this.turnAway("bodies");
      return false;
    }
    this.#change(exchange, exchange.phase, bytes);
    return true;
  }

  #giveUp(exchange: Share): void {
    this.turnAway("bodies");
    this.#change(exchange, exchange.phase, 0);
    exchange.giveUp();
  }

  #change(exchange: Share, phase: Phase, bodyBytes: number): void {
    this.#sums.places += Number(takesPlace(phase)) - Number(takesPlace(exchange.phase));
    const more = bodyBytes - exchange.bodyBytes;
    this.#sums.bodyBytes += more;
    if (exchange.caller === undefined) {
      this.#sums.bodyBytesWithoutToken += more;
      if (phase === "receiving" && bodyBytes > 0) this.#waiting.add(exchange);
      else this.#waiting.delete(exchange);
    }
    exchange.phase = phase;
    exchange.bodyBytes = bodyBytes;
  }

  turnAway(what: keyof TurnedAway): void {
    this.#turnedAway[what] += 1;
    this.#unreported[what] += 1;
  }

  load(): Omit<HttpLoad, "connections"> {
    const { places: requests, bodyBytes } = this.#sums;
    return { requests, bodyBytes, turnedAway: { ...this.#turnedAway } };
  }

  /** Who was turned away since the last report; undefined when there is none. A line for each would be a load of its own. */
  report(): TurnedAway | undefined {
    const since = this.#unreported;
    this.#unreported = { ...noCounts };
    return Object.values(since).some(count => count > 0) ? since : undefined;
  }
}
