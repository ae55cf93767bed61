import { foldEmail, maxEmailLength } from "../domain/employee.ts";
import { DomainError } from "../domain/error.ts";
import type { Clock } from "./ports.ts";

/** Failures that cost nothing but themselves: of one email from one address, and of any emails from one address. */
export const freeFailures = { ofEmail: 5, ofAddress: 50 };
const longestDelaySeconds = 15 * 60;
/** After this long without a failure those before it count no more. */
const memorySeconds = 3_600;
/** Past this the ones that failed longest ago are forgotten. */
const maxCounts = 10_000;

export interface LoginThrottle {
  /** Throws THROTTLED while attempts on this email from this address, or any from this address, must wait. */
  refuseThrottled(email: string, address: string): void;
  countFailure(email: string, address: string): void;
  /** A success: whoever knows the password was not guessing it. */
  forgive(email: string, address: string): void;
}

/**
 * Slows down guessing (NIST SP 800-63B, section 5.2.2) where it comes from: the delay doubles with every failure past
 * the free ones. Nobody is locked out by what happens elsewhere, since an account has no count of its own.
 */
export function makeLoginThrottle(clock: Clock): LoginThrottle {
  const ofEmail = makeFailureCounts(clock, freeFailures.ofEmail);
  const ofAddress = makeFailureCounts(clock, freeFailures.ofAddress);
  // Whoever sends an email may make it as long as they like; those that no employee can have are counted as one.
  const pair = (email: string, address: string) =>
    `${address} ${email.length > 2 * maxEmailLength ? "too long" : foldEmail(email)}`;
  return {
    refuseThrottled(email, address) {
      const seconds = Math.max(ofEmail.waitSeconds(pair(email, address)), ofAddress.waitSeconds(address));
      if (seconds > 0) throw throttled(seconds);
    },
    countFailure(email, address) {
      ofEmail.add(pair(email, address));
      ofAddress.add(address);
    },
    forgive(email, address) {
      ofEmail.forget(pair(email, address));
    },
  };
}

const throttled = (retryAfterSeconds: number) =>
  new DomainError("THROTTLED", "Too many failed logins", { retryAfterSeconds });

interface Count {
  readonly failures: number;
  readonly lastAt: number;
}

/** In the order of their latest failure, so that the oldest are the first to go. */
function makeFailureCounts(clock: Clock, free: number) {
  const counts = new Map<string, Count>();
  const nowSeconds = () => clock.now().getTime() / 1_000;
  const current = (key: string): Count | undefined => {
    const count = counts.get(key);
    return count !== undefined && nowSeconds() - count.lastAt < memorySeconds ? count : undefined;
  };
  return {
    waitSeconds(key: string): number {
      const count = current(key);
      if (count === undefined || count.failures < free) return 0;
      const delay = Math.min(2 ** (count.failures - free), longestDelaySeconds);
      return Math.max(0, Math.ceil(count.lastAt + delay - nowSeconds()));
    },
    add(key: string): void {
      const failures = (current(key)?.failures ?? 0) + 1;
      counts.delete(key);
      counts.set(key, { failures, lastAt: nowSeconds() });
      const [oldest] = counts.keys();
      if (counts.size > maxCounts && oldest !== undefined) counts.delete(oldest);
    },
    forget(key: string): void {
      counts.delete(key);
    },
  };
}
