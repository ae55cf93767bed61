import type { IncomingMessage } from "node:http";
import type { HttpLoad, TurnedAway } from "../../../application/figures.ts";
import { overloaded } from "../../../domain/error.ts";
import { mostHeaders } from "../../protocol/request-head.ts";
import { type HttpLimits, httpLimits } from "./limits.ts";

/** What is bounded for all exchanges together, by the names of the limits. A request is one that the service works on. */
type Resource = "requests" | "bodyBytes" | "bodyBytesWithoutToken" | "responseBytes";

const nothing = { requests: 0, bodyBytes: 0, bodyBytesWithoutToken: 0, responseBytes: 0 };
const nobody = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };

/** The memory of an exchange without the head of its request, its body and its response. */
const leastBytes = 4 * 1024;
/** What Node keeps of a name or a value in the head of a request, beside its text: up to 80 bytes were measured. */
const textBytes = 96;
/** The memory of the largest head. */
const mostHeadBytes = leastBytes + httpLimits.headerBytes + 2 * mostHeaders * textBytes;

/** What all exchanges of a server hold of the process, and how many clients were turned away for want of it. */
export class Budget {
  readonly limits: HttpLimits;
  /** The sum of all shares. */
  readonly held: Record<Resource, number> = { ...nothing };
  /**
   * All shares that may hold something. This is no set of the budget's own: V8 moves what goes in and out of a long-lived set to
   * its old generation, which made a list cost a third more.
   */
  readonly shares: () => Iterable<Share>;
  readonly #turnedAway = { ...nobody };
  #unreported = { ...nobody };

  constructor(limits: HttpLimits, shares: () => Iterable<Share>) {
    this.limits = limits;
    this.shares = shares;
  }

  turnAway(what: keyof TurnedAway): void {
    this.#turnedAway[what] += 1;
    this.#unreported[what] += 1;
  }

  load(): Omit<HttpLoad, "connections"> {
    const { requests, bodyBytes, bodyBytesWithoutToken, responseBytes } = this.held;
    const turnedAway = { ...this.#turnedAway };
    return { requests, bodyBytes: bodyBytes + bodyBytesWithoutToken, responseBytes, turnedAway };
  }

  /** Counts since the last report; undefined when all are 0. A log line for each would be too much in a flood. */
  report(): TurnedAway | undefined {
    const since = this.#unreported;
    this.#unreported = { ...nobody };
    return Object.values(since).some(count => count > 0) ? since : undefined;
  }
}

/** Whose share it is: an exchange. */
export interface ShareHolder {
  readonly request: Pick<IncomingMessage, "url" | "rawHeaders">;
  /** The id of the employee, or the address where no token is known. */
  readonly owner: number | string;
  /** Known before there is a body. */
  readonly hasToken: boolean;
  /** Ends the wait for its body, or its response: another exchange needs the memory. */
  giveUp(): void;
}

/**
 * What one exchange holds of the process. Its methods are the steps of an exchange, which may skip some and never goes back:
 *
 * | Step | What the exchange holds from then on | Next |
 * |---|---|---|
 * | `work` | a place, while the service finds out who asks for what | `givePlaceBack`, `respond` |
 * | `givePlaceBack` | memory for its body, and no place: a client can send a byte and wait | `work`, `respond` |
 * | `work` again | a place, now of the employee, and its body, while the route runs | `respond` |
 * | `respond` | memory for its response, until the client has taken all of it | `close` |
 * | `close` | nothing | after it made room while its body was awaited: `respond`, with a 503 |
 *
 * No owner gets more of a resource than is left for all others: one can fill a half, and another still finds room. The only exchange
 * of an owner is let in wherever there is room. To make room, the exchange ends that has moved nothing for longest: one of the same
 * owner, or, when all is taken, of the owner that holds most.
 */
export class Share {
  readonly #budget: Budget;
  readonly #holder: ShareHolder;
  readonly #held: Record<Resource, number> = { ...nothing };
  /** When the client has last sent a part of the body, or taken a part of the response. */
  #movedAt = performance.now();

  constructor(budget: Budget, holder: ShareHolder) {
    this.#budget = budget;
    this.#holder = holder;
  }

  get hasPlace(): boolean {
    return this.#held.requests > 0;
  }

  /** The client has sent or taken something. Returns when. */
  move(): number {
    this.#movedAt = performance.now();
    return this.#movedAt;
  }

  /** Throws UNAVAILABLE when no place is free. */
  work(): void {
    if (!this.#hasRoom("requests", 1)) throw this.#refusal("requests");
    this.#hold("requests", 1);
  }

  givePlaceBack(): void {
    this.#hold("requests", 0);
  }

  /** Memory for so many bytes of its body, and for its head. Throws UNAVAILABLE when all bodies together would take too much. */
  holdBody(bytes: number): void {
    const resource = this.#holder.hasToken ? "bodyBytes" : "bodyBytesWithoutToken";
    const { url = "", rawHeaders } = this.#holder.request;
    const amount = rawHeaders.reduce(
      (sum, text) => sum + textBytes + text.length,
      leastBytes + url.length + bytes,
    );
    if (!this.#makeRoom(resource, amount)) throw this.#refusal("bodies");
    this.#hold(resource, amount);
  }

  /**
   * Begins a response of so many bytes. It is never refused, since the client must hear what was done: clients that
   * have been slow make room, or, when all is taken, any that are not worked on.
   */
  respond(bytes: number): void {
    const amount = withHeads(bytes);
    if (!this.#makeRoom("responseBytes", amount, this.#budget.limits.slowReaderMilliseconds))
      while (this.#leaves("responseBytes", amount) < 0 && this.#endStalled("responseBytes", amount));
    this.#holdResponse(amount);
  }

  /**
   * Begins a list. Throws UNAVAILABLE when there is no room, and no client has stalled: the request is refused, since nothing was changed.
   *
   * @param bytes of the list; undefined when it is of more than one chunk
   */
  respondWithList(bytes?: number): void {
    const { longListBytes, slowReaderMilliseconds } = this.#budget.limits;
    const amount = bytes === undefined ? longListBytes : withHeads(bytes);
    if (!this.#makeRoom("responseBytes", amount, slowReaderMilliseconds)) throw this.#refusal("requests");
    this.#holdResponse(amount);
  }

  close(): void {
    this.#holdResponse(0);
  }

  #holdResponse(responseBytes: number): void {
    this.move();
    this.#hold("requests", 0);
    this.#hold("bodyBytes", 0);
    this.#hold("bodyBytesWithoutToken", 0);
    this.#hold("responseBytes", responseBytes);
  }

  #hold(resource: Resource, amount: number): void {
    this.#budget.held[resource] += amount - this.#held[resource];
    this.#held[resource] = amount;
  }

  #refusal(what: keyof TurnedAway): Error {
    this.#budget.turnAway(what);
    return overloaded();
  }

  /** What is free of a resource if this share holds so much; negative if there is not enough. */
  #leaves(resource: Resource, amount: number): number {
    const { limits, held } = this.#budget;
    return limits[resource] - held[resource] + this.#held[resource] - amount;
  }

  #hasRoom(resource: Resource, amount: number): boolean {
    const left = this.#leaves(resource, amount);
    // With half of the room free nobody has too much: as a rule no other share is looked at.
    if (2 * left >= this.#budget.limits[resource]) return true;
    let ofSameOwner = 0;
    for (const other of this.#budget.shares())
      if (other !== this && other.#holder.owner === this.#holder.owner) ofSameOwner += other.#held[resource];
    return left >= 0 && (ofSameOwner === 0 || ofSameOwner + amount <= left);
  }

  #makeRoom(resource: Resource, amount: number, patienceMilliseconds = 0): boolean {
    while (!this.#hasRoom(resource, amount))
      if (!this.#endStalled(resource, amount, patienceMilliseconds)) return false;
    return true;
  }

  /** Ends the exchange whose end makes room, among those that have moved nothing for so long. False when there is none. */
  #endStalled(resource: Resource, amount: number, patienceMilliseconds = 0): boolean {
    const others = [...this.#budget.shares()].filter(other => other !== this && other.#held[resource] > 0);
    const held = new Map<ShareHolder["owner"], number>();
    for (const other of others)
      held.set(other.#holder.owner, (held.get(other.#holder.owner) ?? 0) + other.#held[resource]);
    const ofOwner = (share: Share): number => held.get(share.#holder.owner) ?? 0;
    const isFull = this.#leaves(resource, amount) < 0;
    const movedBefore = performance.now() - patienceMilliseconds;
    // One that has a place is worked on: its body has arrived.
    const mayEnd = (other: Share): boolean =>
      !other.hasPlace &&
      other.#movedAt <= movedBefore &&
      (isFull || other.#holder.owner === this.#holder.owner);
    const [ending] = others.filter(mayEnd).sort((a, b) => ofOwner(b) - ofOwner(a) || a.#movedAt - b.#movedAt);
    if (ending === undefined) return false;
    this.#budget.turnAway(resource === "responseBytes" ? "slowClients" : "bodies");
    ending.close();
    ending.#holder.giveUp();
    return true;
  }
}

/** The head of its request counts too, and that of a next one, which Node may have read. */
const withHeads = (bytes: number): number => 2 * mostHeadBytes + bytes;
