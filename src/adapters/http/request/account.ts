import type { HttpLoad, TurnedAway } from "../../../application/figures.ts";
import type { HttpLimits } from "./limits.ts";

/** The phases of an exchange (exchange.ts) in their order: it may skip some, and never goes back. */
export type Phase = "arrived" | "checking" | "receiving" | "working" | "responding" | "closed";

const isWork = (phase: Phase): boolean => phase === "checking" || phase === "working";

/** The memory of an exchange without the head of its request, its body and its response. */
export const leastBytes = 4 * 1024;

/** What an exchange holds of the process. The first three are written by `Account` alone. */
export interface Share {
  phase: Phase;
  /** The memory for its body, with that of the exchange while it waits for the rest. */
  bodyBytes: number;
  /** The memory for its response and of the exchange, until the client has taken all of it. */
  responseBytes: number;
  /** Whom it belongs to: the id of the employee, or the address where no token is known. */
  readonly owner: number | string;
  readonly hasToken: boolean;
  /** When the client has last sent a part of the body, or taken a part of the response. */
  readonly movedAt: number;
  /** Ends the wait for a body with 503, or cuts the connection under a response: another exchange needs the memory. */
  giveUp(): void;
}

/** A bound on what all exchanges together hold of one thing. */
interface Room {
  readonly most: number;
  held: number;
  readonly of: (share: Share) => number;
}

const noCounts = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };

/**
 * Counts what all exchanges hold of the process: a place each while the service works for them, memory for bodies and responses.
 * It decides which exchange gets more, which one has to end to make room, and counts those that were turned away.
 *
 * No owner gets more than is left for all others: one can fill a half, and another still finds room. To make room, it ends
 * the exchange that has moved nothing for longest: one of the same owner, or, when all is taken, of the owner that holds most.
 *
 * It keeps no set of the exchanges: V8 moves what goes in and out of a long-lived set to its old generation, which made a list
 * cost a third more. The sums are enough as a rule; it goes over all exchanges only when more than half of a room is taken.
 */
export class Account {
  readonly #underWay: () => Iterable<Share>;
  readonly #slowReaderMilliseconds: number;
  readonly #places: Room;
  readonly #bodies: Room;
  readonly #bodiesWithoutToken: Room;
  readonly #responses: Room;
  readonly #turnedAway = { ...noCounts };
  #unreported = { ...noCounts };

  /** @param underWay all exchanges that may hold something */
  constructor(limits: HttpLimits, underWay: () => Iterable<Share>) {
    this.#underWay = underWay;
    this.#slowReaderMilliseconds = limits.slowReaderMilliseconds;
    const room = (most: number, of: Room["of"]): Room => ({ most, held: 0, of });
    this.#places = room(limits.requests, ({ phase }) => Number(isWork(phase)));
    this.#bodies = room(limits.bodyBytes, ({ bodyBytes }) => bodyBytes);
    this.#bodiesWithoutToken = room(limits.bodyBytesWithoutToken, ({ hasToken, bodyBytes }) =>
      hasToken ? 0 : bodyBytes,
    );
    this.#responses = room(limits.responseBytes, ({ responseBytes }) => responseBytes);
  }

  /** Gives an exchange a place for this phase; false when there is none. */
  work(share: Share, phase: "checking" | "working"): boolean {
    if (!this.#hasRoom(this.#places, share, Number(!isWork(share.phase)))) {
      this.turnAway("requests");
      return false;
    }
    this.#change(share, phase, share.bodyBytes, share.responseBytes);
    return true;
  }

  /** Gives an exchange this many bytes in all for its body; false when it cannot have them. */
  holdBody(share: Share, bytes: number): boolean {
    const more = bytes - share.bodyBytes;
    const rooms = share.hasToken ? [this.#bodies] : [this.#bodies, this.#bodiesWithoutToken];
    if (!rooms.every(room => this.#makeRoom(room, share, more, "receiving"))) {
      this.turnAway("bodies");
      return false;
    }
    this.#change(share, share.phase, bytes, share.responseBytes);
    return true;
  }

  /** The exchange waits for the rest of a body, without a place. */
  receive(share: Share): void {
    this.#change(share, "receiving", share.bodyBytes, share.responseBytes);
  }

  /** Begins a response of this many bytes. It is never refused, since the client must hear what was done: others make room. */
  respond(share: Share, bytes: number): void {
    const room = this.#responses;
    if (!this.#makeRoom(room, share, bytes, "responding", this.#slowReaderMilliseconds))
      while (room.held + bytes > room.most && this.#endStalled(room, share, bytes, "responding"));
    this.#change(share, "responding", 0, bytes);
  }

  /** Begins a list; false when there is no room, and no client has stalled. */
  respondWithList(share: Share, bytes: number): boolean {
    if (!this.#makeRoom(this.#responses, share, bytes, "responding", this.#slowReaderMilliseconds)) {
      this.turnAway("requests");
      return false;
    }
    this.#change(share, "responding", 0, bytes);
    return true;
  }

  /** More memory for a response, only while half of it all is free: nobody has to make room for this. */
  holdAhead(share: Share, bytes: number): boolean {
    const isPlenty = 2 * (this.#responses.held + bytes) <= this.#responses.most;
    if (isPlenty) this.#change(share, share.phase, share.bodyBytes, share.responseBytes + bytes);
    return isPlenty;
  }

  /** The client has taken the response or has gone, and the work for it has ended. */
  close(share: Share): void {
    this.#change(share, "closed", 0, 0);
  }

  turnAway(what: keyof TurnedAway): void {
    this.#turnedAway[what] += 1;
    this.#unreported[what] += 1;
  }

  load(): Omit<HttpLoad, "connections"> {
    return {
      requests: this.#places.held,
      bodyBytes: this.#bodies.held,
      responseBytes: this.#responses.held,
      turnedAway: { ...this.#turnedAway },
    };
  }

  /** Counts since the last report; undefined when all are 0. A log line for each would be too much in a flood. */
  report(): TurnedAway | undefined {
    const since = this.#unreported;
    this.#unreported = { ...noCounts };
    return Object.values(since).some(count => count > 0) ? since : undefined;
  }

  #hasRoom(room: Room, share: Share, more: number): boolean {
    const left = room.most - room.held - more;
    // With half of the room free nobody has too much.
    if (room.held + more <= left) return true;
    let ofSameOwner = 0;
    for (const other of this.#underWay())
      if (other !== share && other.owner === share.owner) ofSameOwner += room.of(other);
    return left >= 0 && (ofSameOwner === 0 || ofSameOwner + room.of(share) + more <= left);
  }

  #makeRoom(room: Room, share: Share, more: number, phase: Phase, patienceMilliseconds = 0): boolean {
    while (!this.#hasRoom(room, share, more))
      if (!this.#endStalled(room, share, more, phase, patienceMilliseconds)) return false;
    return true;
  }

  /**
   * Makes room by ending the exchange in this phase that has moved nothing for longest: one of the same owner, or, where the room
   * is full, of whoever holds most. False when none has stalled for that long.
   */
  #endStalled(room: Room, share: Share, more: number, phase: Phase, patienceMilliseconds = 0): boolean {
    const others = [...this.#underWay()].filter(other => other !== share && room.of(other) > 0);
    const held = new Map<Share["owner"], number>();
    for (const other of others) held.set(other.owner, (held.get(other.owner) ?? 0) + room.of(other));
    const heldWith = ({ owner }: Share): number => held.get(owner) ?? 0;
    const isFull = room.held + more > room.most;
    const movedBefore = performance.now() - patienceMilliseconds;
    const mayEnd = (other: Share): boolean =>
      other.phase === phase && other.movedAt <= movedBefore && (isFull || other.owner === share.owner);
    const [ending] = others.filter(mayEnd).sort((a, b) => heldWith(b) - heldWith(a) || a.movedAt - b.movedAt);
    if (ending === undefined) return false;
    this.turnAway(phase === "receiving" ? "bodies" : "slowClients");
    this.#change(ending, ending.phase, 0, 0);
    ending.giveUp();
    return true;
  }

  #change(share: Share, phase: Phase, bodyBytes: number, responseBytes: number): void {
    this.#places.held += Number(isWork(phase)) - Number(isWork(share.phase));
    const more = bodyBytes - share.bodyBytes;
    this.#bodies.held += more;
    // Whether it has a token is known before it holds a body.
    if (!share.hasToken) this.#bodiesWithoutToken.held += more;
    this.#responses.held += responseBytes - share.responseBytes;
    share.phase = phase;
    share.bodyBytes = bodyBytes;
    share.responseBytes = responseBytes;
  }
}
