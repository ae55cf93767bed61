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

const limits = {
  /** How long the state of the database is cached. */
  freshMilliseconds: 1_000,
  /** How long a check may take. */
  patienceMilliseconds: 1_000,
};

/**
 * Whether requests should be sent here. All callers share one check of the database at a time, at most once a second. A
 * database that does not answer within a second counts as not available.
 *
 * @param phase the current phase of the service
 * @param examine reads the state of the database; it may take longer than the check may
 */
export function makeReadiness(
  phase: () => Phase,
  examine: () => Promise<DatabaseState>,
  { freshMilliseconds, patienceMilliseconds } = limits,
  now = () => performance.now(),
): () => Promise<Readiness> {
  let known: DatabaseState = { database: "not asked yet", schema: "unknown" };
  let knownAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    try {
      known = await examine();
    } catch {
      known = { database: "fails", schema: "unknown" };
    }
    knownAt = now();
    asking = undefined;
  }

  async function look(): Promise<DatabaseState> {
    // A draining service is not ready, whatever the database says.
    if (phase() === "draining" || now() - knownAt < freshMilliseconds) return known;
    asking ??= ask();
    const answered = await inTime(asking, patienceMilliseconds);
    return answered ? known : { database: "does not answer", schema: "unknown" };
  }

  return async () => {
    const state = await look();
    const service = phase() === "serving" ? "ok" : phase();
    const ready = service === "ok" && state.database === "ok" && state.schema === "ok";
    return { ready, checks: { service, ...state } };
  };
}

/** Whether the promise settled within the time. It must not reject. */
async function inTime(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const answered = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return answered;
}
