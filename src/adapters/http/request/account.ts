import type { HttpLoad, TurnedAway } from "../../../application/figures.ts";

/** The phases of an exchange (exchange.ts) in their order: it may skip some, and never goes back. */
export type Phase = "arrived" | "checking" | "receiving" | "working" | "responding" | "closed";

const isWork = (phase: Phase): boolean => phase === "checking" || phase === "working";

/** What a body or a response counts as, however short it is: about what its exchange takes of the process. */
export const leastBytes = 4 * 1024;

/** What an exchange holds of the process. The first three are written by `Account` alone. */
export interface Share {
  phase: Phase;
  /** The memory for its body. */
  bodyBytes: number;
  /** What was given to its connection, and not taken by the client yet. */
  responseBytes: number;
  /** Whom it belongs to: the id of the employee, or the address where no token is known. */
  readonly owner: number | string;
  readonly hasToken: boolean;
  /** When the client has last sent a part of the body, or taken a part of the response. */
  readonly movedAt: number;
  /** Ends the wait for a body with 503, or cuts the connection under a response: another exchange needs the memory. */
  giveUp(): void;
}

export interface AccountLimits {
  /** Places: exchanges that the service checks or works on at one time. */
  readonly requests: number;
  /** The bytes of all bodies. */
  readonly bodyBytes: number;
  /** Those of exchanges without a token, so that others are served during an attack without one. */
  readonly bodyBytesWithoutToken: number;
  /** The bytes of all responses that clients have not taken. */
  readonly responseBytes: number;
  /** A list is refused rather than that a client is cut off which has taken something within this time. */
  readonly slowReaderMilliseconds: number;
}

/** Something of which all exchanges together hold so much at most. */
interface Room {
  readonly most: number;
  held: number;
  readonly of: (share: Share) => number;
}

const noCounts = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };

/**
 * What all exchanges hold of the process: a place each while the service works for them, memory for bodies and responses. It
 * decides who gets more, who has to make room, and counts who was turned away.
 *
 * No owner gets more than is left for all others, so that one can fill a half, and another still finds room. To make room,
 * the exchange ends that has moved nothing for longest: one of the same owner, or, when all is taken, of the one that holds most.
 *
 * It keeps no set of the exchanges: V8 lets what goes in and out of a long-lived set survive its young generation, which made
 * a list a third dearer. The sums say as a rule that there is enough; only past a half of a room it goes over all exchanges.
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
  constructor(limits: AccountLimits, underWay: () => Iterable<Share>) {
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

  /** Brings an exchange to its work; false when it cannot have a place. */
  work(share: Share, phase: "checking" | "working"): boolean {
    if (!this.#hasRoom(this.#places, share, Number(!isWork(share.phase)))) {
      this.turnAway("requests");
      return false;
    }
    this.#change(share, phase, share.bodyBytes, share.responseBytes);
    return true;
  }

  /** Gives an exchange so many bytes in all for its body; false when it cannot have them. */
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

  /** Brings an exchange to a response of so many bytes. What was done must be told: where all is taken, others make room. */
  respond(share: Share, bytes: number): void {
    const room = this.#responses;
    if (!this.#makeRoom(room, share, bytes, "responding", this.#slowReaderMilliseconds))
      while (room.held + bytes > room.most && this.#endStalled(room, share, bytes, "responding"));
    this.#change(share, "responding", 0, bytes);
  }

  /** The same for a list; false when there is no room, and nobody has stalled. */
  respondWithList(share: Share, bytes: number): boolean {
    if (!this.#makeRoom(this.#responses, share, bytes, "responding", this.#slowReaderMilliseconds)) {
      this.turnAway("requests");
      return false;
    }
    this.#change(share, "responding", 0, bytes);
    return true;
  }

  /** More memory for a response, as long as half of all is free: nobody has to make room for it. */
  holdAhead(share: Share, bytes: number): boolean {
    const isPlenty = 2 * (this.#responses.held + bytes) <= this.#responses.most;
    if (isPlenty) this.#change(share, share.phase, share.bodyBytes, share.responseBytes + bytes);
    return isPlenty;
  }

  /** The client has taken the response, or has gone, and nobody works for it any more. */
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

  /** Who was turned away since the last report; undefined when there is none. A line for each would be a load of its own. */
  report(): TurnedAway | undefined {
    const since = this.#unreported;
    this.#unreported = { ...noCounts };
    return Object.values(since).some(count => count > 0) ? since : undefined;
  }

  #hasRoom(room: Room, share: Share, more: number): boolean {
    const left = room.most - room.held - more;
    if (room.held + more <= left) return true;
    let others = 0;
    for (const other of this.#underWay())
      if (other !== share && other.owner === share.owner) others += room.of(other);
    return left >= 0 && (others === 0 || others + room.of(share) + more <= left);
  }

  #makeRoom(room: Room, share: Share, more: number, phase: Phase, patienceMilliseconds = 0): boolean {
    while (!this.#hasRoom(room, share, more))
      if (!this.#endStalled(room, share, more, phase, patienceMilliseconds)) return false;
    return true;
  }

  /** Ends an exchange in this phase for another one; false when there is none that has stalled for so long. */
  #endStalled(room: Room, share: Share, more: number, phase: Phase, patienceMilliseconds = 0): boolean {
    const others = [...this.#underWay()].filter(other => other !== share && room.of(other) > 0);
    const isFull = room.held + more > room.most;
    const movedBefore = performance.now() - patienceMilliseconds;
    const mayEnd = (other: Share): boolean =>
      other.phase === phase && other.movedAt <= movedBefore && (isFull || other.owner === share.owner);
    const ending = stalledOf(others, room, mayEnd);
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
    if (!share.hasToken) this.#bodiesWithoutToken.held += more;
    this.#responses.held += responseBytes - share.responseBytes;
    share.phase = phase;
    share.bodyBytes = bodyBytes;
    share.responseBytes = responseBytes;
  }
}

/** Of those that may end, and of the owner who holds most: the one that has moved nothing for longest. */
function stalledOf(
  shares: readonly Share[],
  room: Room,
  mayEnd: (share: Share) => boolean,
): Share | undefined {
  const held = new Map<Share["owner"], number>();
  for (const share of shares) held.set(share.owner, (held.get(share.owner) ?? 0) + room.of(share));
  const heldWith = ({ owner }: Share): number => held.get(owner) ?? 0;
  return shares
    .filter(mayEnd)
    .reduce<Share | undefined>(
      (found, other) =>
        found === undefined ||
        heldWith(other) > heldWith(found) ||
        (heldWith(other) === heldWith(found) && other.movedAt < found.movedAt)
          ? other
          : found,
      undefined,
    );
}
