import type { Account, Clock, EmployeeRepository } from "./ports.ts";

/** How long an account is cached. Revocations by other processes take effect within this time. */
const accountMilliseconds = 500;

/** Size of the cache. When it is full it is cleared, and the accounts are read again. */
const maxAccounts = 10_000;

/**
 * Employees whose accounts are asked for once in half a second instead of on every request. What this process changes
 * shows at once, and no answer is used that was asked for longer ago: when it cannot be renewed, the request fails.
 */
export function withRecentAccounts(employees: EmployeeRepository, clock: Clock): EmployeeRepository {
  const recent = new Map<
    string,
    { readonly askedAt: number; readonly account: Promise<Account | undefined> }
  >();

  /** Reads still under way are dropped too, because they may have read the account before the change. */
  async function forgetting<T>(change: Promise<T>): Promise<T> {
    try {
      return await change;
    } finally {
      recent.clear();
    }
  }

  return {
    ...employees,

    findAccount(email, asOfSeconds = 0) {
      const now = clock.now().getTime();
      const known = recent.get(email);
      const isRecent =
        known !== undefined &&
        now >= known.askedAt &&
        now - known.askedAt < accountMilliseconds &&
        known.askedAt >= (asOfSeconds + 1) * 1_000;
      if (isRecent) return known.account;
      const account = employees.findAccount(email);
      if (recent.size >= maxAccounts) recent.clear();
      recent.set(email, { askedAt: now, account });
      account.catch(() => recent.delete(email));
      return account;
    },

    insert: (...asked) => forgetting(employees.insert(...asked)),
    update: (...asked) => forgetting(employees.update(...asked)),
    setActive: (...asked) => forgetting(employees.setActive(...asked)),
    replacePasswordHash: (...asked) => forgetting(employees.replacePasswordHash(...asked)),
    setPasswordHash: (...asked) => forgetting(employees.setPasswordHash(...asked)),
    appointAdmin: (...asked) => forgetting(employees.appointAdmin(...asked)),
  };
}
