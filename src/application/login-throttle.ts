import { foldEmail, maxEmailLength } from "../domain/employee.ts";
import { DomainError } from "../domain/error.ts";
import type { Clock } from "./ports.ts";

/** Failures without a delay: of one email from one address, and of any emails from one address. */
export const freeFailures = { ofEmail: 5, ofAddress: 50 };
/** For one email from one address: the longest delay, and how long failures count after the latest one. */
const longestDelaySeconds = 15 * 60;
const memorySeconds = 3_600;
/** For any emails from one address: the time after which one more failure is free, and also the longest wait. */
const refillSeconds = 10;
/** Size of each table. When it is full, the entry that was written longest ago is dropped. */
const maxEntries = 10_000;

export type LoginThrottle = ReturnType<typeof makeLoginThrottle>;

/**
 * Slows down guessing (NIST SP 800-63B, section 5.2.2) where it comes from. For one email from one address the delay
 * doubles with every failure past the free ones. Many people may share an address, so failures of many emails cost a
 * short wait, and nothing for an email that has logged in from there before. Nobody is locked out by what happens at
 * another address.
 */
export function makeLoginThrottle(clock: Clock) {
  const ofEmail = makeFailureCounts(clock);
  const ofAddress = makeBuckets(clock);
  const loggedIn = new Map<string, true>();
  // A client can send an email of any length. Emails that are too long for any employee share one key.
  const pairOf = (email: string, address: string) =>
    `${address} ${email.length > 2 * maxEmailLength ? "too long" : foldEmail(email)}`;
  return {
    /** Throws THROTTLED while attempts on this email from this address, or on new emails from there, must wait. */
    refuseThrottled(email: string, address: string): void {
      const pair = pairOf(email, address);
      const waitOfAddress = loggedIn.has(pair) ? 0 : ofAddress.waitMilliseconds(address);
      const wait = Math.max(ofEmail.waitMilliseconds(pair), waitOfAddress);
      if (wait > 0) throw throttled(Math.ceil(wait / 1_000));
    },

    countFailure(email: string, address: string): void {
      ofEmail.add(pairOf(email, address));
      ofAddress.add(address);
    },

    /** Clears the failures of this email from this address. */
    countSuccess(email: string, address: string): void {
      const pair = pairOf(email, address);
      ofEmail.forget(pair);
      keep(loggedIn, pair, true);
    },
  };
}

const throttled = (retryAfterSeconds: number) =>
  new DomainError("THROTTLED", "Too many failed logins", { retryAfterSeconds });

/** Writes an entry as the newest one, and forgets the oldest one when there are too many. */
function keep<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
}

interface Count {
  readonly failures: number;
  readonly lastAt: number;
}

/** The delay doubles with each failure. */
function makeFailureCounts(clock: Clock) {
  const counts = new Map<string, Count>();
  const now = () => clock.now().getTime();
  const current = (key: string): Count | undefined => {
    const count = counts.get(key);
    return count !== undefined && now() - count.lastAt < memorySeconds * 1_000 ? count : undefined;
  };
  return {
    waitMilliseconds(key: string): number {
      const { failures, lastAt } = current(key) ?? { failures: 0, lastAt: 0 };
      if (failures < freeFailures.ofEmail) return 0;
      const delaySeconds = Math.min(2 ** (failures - freeFailures.ofEmail), longestDelaySeconds);
      return Math.max(0, lastAt + delaySeconds * 1_000 - now());
    },
    add(key: string): void {
      keep(counts, key, { failures: (current(key)?.failures ?? 0) + 1, lastAt: now() });
    },
    forget(key: string): void {
      counts.delete(key);
    },
  };
}

/** A bucket of free failures that refills steadily, kept as the time at which it will be full again. */
function makeBuckets(clock: Clock) {
  const fullAt = new Map<string, number>();
  const one = refillSeconds * 1_000;
  const all = freeFailures.ofAddress * one;
  /** Until the bucket is full. */
  const missing = (key: string): number => {
    const now = clock.now().getTime();
    return Math.min(all, Math.max(0, (fullAt.get(key) ?? 0) - now));
  };
  return {
    waitMilliseconds: (key: string): number => Math.max(0, missing(key) - (all - one)),
    add(key: string): void {
      keep(fullAt, key, clock.now().getTime() + Math.min(all, missing(key) + one));
    },
  };
}
