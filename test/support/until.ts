import { type EventEmitter, once as onceOf } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Far longer than anything that a test waits for takes, on a machine under load too. Shorter where a fault is planted. */
const patienceMilliseconds = Number(process.env["TEST_PATIENCE_SECONDS"] ?? 60) * 1_000;
/** Each look comes later than the one before it, up to this: many looks are requests, which would take up a core. */
const longestPauseMilliseconds = 25;

/**
 * Waits until something holds, and returns what it answered. Fails after a deadline, and names what did not come to hold:
 * a loop without an end would keep its file, and so the whole run, from ending.
 */
export async function until<T>(
  holds: () => T | Promise<T>,
  patience = patienceMilliseconds,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + patience;
  for (let pause = 1; ; pause = Math.min(2 * pause, longestPauseMilliseconds)) {
    const answer = await holds();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`not so after ${patience / 1_000} s: ${holds}`);
    await sleep(pause);
  }
}

/** What a promise resolves to. Fails after the same deadline, and names what did not come. */
export function inTime<T>(what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = new Error(`${what} did not come within ${patienceMilliseconds / 1_000} s`);
    const deadline = setTimeout(reject, patienceMilliseconds, late);
    promise.then(resolve, reject).finally(() => clearTimeout(deadline));
  });
}

/** As of node:events, but in time: for who waits for the event at once. */
export const once = (emitter: EventEmitter, event: string) =>
  inTime(`the event ${event} of a ${emitter.constructor.name}`, onceOf(emitter, event));

/** Whether a promise is fulfilled. */
export const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

/** A promise, and what resolves it. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Two turns of the event loop: all that was under way, and waits for nothing else, has gone on. */
export const turns = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)));
