import { setTimeout as sleep } from "node:timers/promises";

/** `ok`, or what is wrong, in words for the operator. */
export interface DatabaseState {
  readonly database: string;
  readonly schema: string;
}

export type Phase = "starting" | "serving" | "draining";

export interface Readiness {
  readonly ready: boolean;
  readonly checks: DatabaseState & { readonly service: string };
}

/** How long the state of the database is cached. */
const freshMilliseconds = 1_000;

/**
 * Whether requests should be sent here. All callers share one check of the database at a time, at most once a second. A
 * database that does not respond within a second counts as not available.
 *
 * @param phase the current phase of the service
 * @param examine reads the state of the database; it may take longer than the check may
 */
export function makeReadiness(
  phase: () => Phase,
  examine: () => Promise<DatabaseState>,
  patienceMilliseconds = 1_000,
  now = () => performance.now(),
): () => Promise<Readiness> {
  let known: DatabaseState = { database: "not asked yet", schema: "unknown" };
  let knownAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    known = await examine().catch(() => ({ database: "fails", schema: "unknown" }));
    knownAt = now();
    asking = undefined;
  }

  async function look(): Promise<DatabaseState> {
    // A draining service is not ready, whatever the database says.
    if (phase() === "draining" || now() - knownAt < freshMilliseconds) return known;
    asking ??= ask();
    const late = { database: "does not respond", schema: "unknown" };
    return Promise.race([asking.then(() => known), sleep(patienceMilliseconds, late, { ref: false })]);
  }

  return async () => {
    const state = await look();
    const service = phase() === "serving" ? "ok" : phase();
    const checks = { service, ...state };
    return { ready: Object.values(checks).every(check => check === "ok"), checks };
  };
}
