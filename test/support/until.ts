import { setTimeout as sleep } from "node:timers/promises";

/** Far longer than anything that a test waits for takes, on a machine under load too. */
const patienceMilliseconds = 60_000;

/**
 * Waits until something holds, and returns what it answered. Fails after a deadline, and names what did not come to hold:
 * a loop without an end would keep its file, and so the whole run, from ending.
 */
export async function until<T>(
  holds: () => T | Promise<T>,
  patience = patienceMilliseconds,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + patience;
  for (;;) {
    const answer = await holds();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`not so after ${patience / 1_000} s: ${holds}`);
    await sleep(1);
  }
}
