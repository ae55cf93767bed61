import { setTimeout as sleep } from "node:timers/promises";

/** `ok`, or what is wrong, in words for the operator. */
export interface DatabaseState {
  readonly database: string;
  readonly schema: string;
}

export type ServicePhase = "starting" | "serving" | "draining";

export interface Readiness {
  readonly ready: boolean;
  readonly checks: DatabaseState & { readonly service: string };
}

/** How long the state of the database is cached. */
const freshMilliseconds = 1_000;

/** The state of the database as it was read last. All callers share one examination at a time, at most one a second. */
class CachedState {
  readonly #examine: () => Promise<DatabaseState>;
  readonly #now: () => number;
  latest: DatabaseState = { database: "not asked yet", schema: "unknown" };
  #readAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<DatabaseState> | undefined;

  constructor(examine: () => Promise<DatabaseState>, now: () => number) {
    this.#examine = examine;
    this.#now = now;
  }

  async read(): Promise<DatabaseState> {
    if (this.#now() - this.#readAt < freshMilliseconds) return this.latest;
    this.#underWay ??= this.#readAgain();
    return this.#underWay;
  }

  async #readAgain(): Promise<DatabaseState> {
    this.latest = await this.#examine().catch(() => ({ database: "fails", schema: "unknown" }));
    this.#readAt = this.#now();
    this.#underWay = undefined;
    return this.latest;
  }
}

/**
 * Whether requests should be sent here. A database that does not respond within a second counts as not available.
 *
 * @param phase the current phase of the service
 * @param examine reads the state of the database; it may take longer than the check may
 */
export function makeReadiness(
  phase: () => ServicePhase,
  examine: () => Promise<DatabaseState>,
  patienceMilliseconds = 1_000,
  now = () => performance.now(),
): () => Promise<Readiness> {
  const cached = new CachedState(examine, now);
  const late = { database: "does not respond", schema: "unknown" };

  return async () => {
    // A draining service is not ready, whatever the database says.
    const isDraining = phase() === "draining";
    const waiting = () => sleep(patienceMilliseconds, late, { ref: false });
    const state = isDraining ? cached.latest : await Promise.race([cached.read(), waiting()]);
    const service = phase() === "serving" ? "ok" : phase();
    const checks = { service, ...state };
    return { ready: Object.values(checks).every(check => check === "ok"), checks };
  };
}
