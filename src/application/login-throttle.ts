import type { EmailKey } from "../domain/employee.ts";
import { DomainError } from "../domain/error.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { Clock } from "./clock-and-log.ts";

/** Failures without a delay: of one email from one address, and of any emails from one address. */
const freeFailures = { ofEmail: 5, ofAddress: 50 };
/** For one email from one address: the longest delay, and how long failures count after the latest one. */
const longestDelayMilliseconds = 15 * 60_000;
const memoryMilliseconds = 3_600_000;
/** For any emails from one address: the time after which one failure is forgiven, and also the longest wait. */
const leakMilliseconds = 10_000;
/** Size of each table. */
const maxEntries = 10_000;

/** By the email alone anybody could lock it out, and by the address alone everybody behind one proxy would be one. */
const pairOf = (email: EmailKey, address: string): string => `${address} ${email}`;

export type LoginThrottle = ReturnType<typeof makeLoginThrottle>;

/**
 * Slows down guessing (NIST SP 800-63B, section 5.2.2) where it comes from. For one email from one address the delay
 * doubles with every failure past the free ones. Many people may share an address, so failures of many emails cost a
 * short wait, and nothing for an email that has logged in from there before. Nobody is locked out by what happens at
 * another address.
 */
export function makeLoginThrottle({ elapsed }: Pick<Clock, "elapsed">) {
  /** By email and address. */
  const failed = new BoundedMap<string, { readonly failures: number; readonly lastAt: number }>(maxEntries);
  const loggedIn = new BoundedMap<string, true>(maxEntries);
  /** A leaky bucket for each address: the time at which its last failure is forgiven. */
  const emptyAt = new BoundedMap<string, number>(maxEntries);

  function failuresOf(pair: string) {
    const { failures, lastAt } = failed.get(pair) ?? { failures: 0, lastAt: 0 };
    return { failures: elapsed() - lastAt < memoryMilliseconds ? failures : 0, lastAt };
  }

  function waitOfPair(pair: string): number {
    const { failures, lastAt } = failuresOf(pair);
    if (failures < freeFailures.ofEmail) return 0;
    const delay = Math.min(1_000 * 2 ** (failures - freeFailures.ofEmail), longestDelayMilliseconds);
    return lastAt + delay - elapsed();
  }

  /** How long an email that has not logged in from this address has to wait there: until one failure more would be free again. */
  const waitOfAddress = (address: string): number =>
    (emptyAt.get(address) ?? 0) - (freeFailures.ofAddress - 1) * leakMilliseconds - elapsed();

  function refuse(waitMilliseconds: number): void {
    const retryAfterSeconds = Math.ceil(waitMilliseconds / 1_000);
    if (retryAfterSeconds > 0)
      throw new DomainError("THROTTLED", "Too many failed logins", { retryAfterSeconds });
  }

  return {
    /**
     * Where a verification waits: addresses take turns, within an address those that have logged in from there and those that
     * have not, and within these the emails. So a flood of new emails costs those behind the same address a turn.
     */
    lineOf: (email: EmailKey, address: string): readonly string[] => [
      address,
      loggedIn.has(pairOf(email, address)) ? "known" : "new",
      email,
    ],

    /** Throws THROTTLED while attempts on this email from this address, or on new emails from there, must wait. */
    refuseThrottled(email: EmailKey, address: string): void {
      const pair = pairOf(email, address);
      refuse(Math.max(waitOfPair(pair), loggedIn.has(pair) ? 0 : waitOfAddress(address)));
    },

    /**
     * Counts a failure. While new emails must wait at this address, it throws THROTTLED and does not lengthen that wait: an email that
     * has logged in from there is still verified, and the response to its failure must be the one that a new email gets.
     */
    countFailure(email: EmailKey, address: string): void {
      const pair = pairOf(email, address);
      failed.set(pair, { failures: failuresOf(pair).failures + 1, lastAt: elapsed() });
      const wait = waitOfAddress(address);
      const more = wait > 0 ? 0 : leakMilliseconds;
      emptyAt.set(address, Math.max(emptyAt.get(address) ?? 0, elapsed()) + more);
      refuse(wait);
    },

    /** Clears the failures of this email from this address. */
    countSuccess(email: EmailKey, address: string): void {
      const pair = pairOf(email, address);
      failed.delete(pair);
      loggedIn.set(pair, true);
    },
  };
}
