/** The figures of the parts of the service, each counted by the part itself. */

/** How many were turned away since the start, because of the bounds on what all clients together may take. */
export type TurnedAway = Readonly<Record<"requests" | "bodies" | "connections" | "slowClients", number>>;

/** Open connections, requests that are worked on, and the bytes of bodies and of responses that clients have not taken. */
export interface HttpLoad
  extends Readonly<Record<"connections" | "requests" | "bodyBytes" | "responseBytes", number>> {
  readonly turnedAway: TurnedAway;
}

/** Connections in use (checked out or being opened) and idle, out of how many there may be, and statements that wait for one. */
export type PoolLoad = Readonly<Record<"inUse" | "idle" | "limit" | "waiting", number>>;

/** Work that goes on and work that waits for its turn, such as password hashes, each out of how much there may be. */
export type TurnLoad = Readonly<Record<"working" | "workingLimit" | "waiting" | "waitingLimit", number>>;

/** A refusal that may indicate an attack, by the name of its event in the log. */
export type Refusal = "login failed" | "login throttled" | "token refused" | "role refused";

/** Counts requests. It is called for each of them, so it must return at once and never throw. */
export interface RequestMeter {
  responded(method: string, route: string | undefined, status: number, milliseconds: number): void;
  /** A response that ended before it was whole, after its status had been sent. */
  cut(by: "client" | "service"): void;
  refused(refusal: Refusal): void;
}

/** The certificate that clients are shown. */
export interface CertificateState {
  /** Since the epoch. */
  readonly validToSeconds: number;
  /** Whether the files that were read last cannot be used: the next start would fail with them. */
  readonly isRenewalFailed: boolean;
}
