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
  /** How long an answer of the database is good for. */
  freshMilliseconds: 1_000,
  /** How long one is waited for. */
  patienceMilliseconds: 1_000,
};

/**
 * Whether requests should be sent here. The database is asked at most once a second and by one question at a time,
 * however many want to know; one that does not answer in a second is not there.
 *
 * @param phase of the service now
 * @param examine asks the database; settles some time, and may take longer than anybody waits
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
    // A service that drains has nothing to ask any more, and must say so at once.
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

/** Whether it settled within the time; it must not reject. */
async function inTime(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const answered = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return answered;
}
