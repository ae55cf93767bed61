import { setTimeout as sleep } from "node:timers/promises";
import { RepeatedReports } from "../../../application/repeated-reports.ts";

/** `ok`, or what is wrong, in words for the operator. */
export interface DatabaseState {
  readonly database: string;
  readonly schema: string;
}

/** With what it was read from, where that failed: for the log alone, since anybody may see the rest. */
export type ReadState = DatabaseState & { readonly cause?: string | undefined };

export type ServicePhase = "starting" | "serving" | "draining";

export type Readiness = Awaited<ReturnType<ReturnType<typeof makeReadiness>>>;

/** How long the state of the database is cached. */
const freshMilliseconds = 1_000;
/** Between two reports of the same state. */
const reportMilliseconds = 60_000;

/**
 * The state of the database as it was read last. All callers share one examination at a time, at most one a second. One that
 * is not ok is reported, and again after a minute while it stays the same.
 */
class CachedState {
  readonly #examine: () => Promise<ReadState>;
  readonly #report: (state: ReadState) => void;
  readonly #now: () => number;
  readonly #reports: RepeatedReports;
  latest: DatabaseState = { database: "not asked yet", schema: "unknown" };
  #readAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<DatabaseState> | undefined;

  constructor(examine: () => Promise<ReadState>, report: (state: ReadState) => void, now: () => number) {
    this.#examine = examine;
    this.#report = report;
    this.#now = now;
    this.#reports = new RepeatedReports(now, reportMilliseconds);
  }

  async read(): Promise<DatabaseState> {
    if (this.#now() - this.#readAt < freshMilliseconds) return this.latest;
    this.#underWay ??= this.#readAgain();
    return this.#underWay;
  }

  async #readAgain(): Promise<DatabaseState> {
    const read = await this.#examine();
    this.latest = { database: read.database, schema: read.schema };
    this.#readAt = this.#now();
    this.#underWay = undefined;
    const isOk = read.database === "ok" && read.schema === "ok";
    if (!isOk && this.#reports.claim(`${read.database} ${read.schema}`)) this.#report(read);
    return this.latest;
  }
}

/**
 * Whether requests should be sent here. A database that does not respond within a second counts as not available.
 *
 * @param phase the current phase of the service
 * @param examine reads the state of the database, and does not reject; it may take longer than the check may
 * @param report of a state that is not ok
 */
export function makeReadiness(
  phase: () => ServicePhase,
  examine: () => Promise<ReadState>,
  report: (state: ReadState) => void,
  patienceMilliseconds = 1_000,
  now = () => performance.now(),
) {
  const cached = new CachedState(examine, report, now);
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
