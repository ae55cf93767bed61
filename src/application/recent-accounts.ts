import type { Account, Clock, EmployeeRepository } from "./ports.ts";

/** How long an answer about an account is good for; other processes' revocations take no longer than this to show. */
export const accountMilliseconds = 500;

/** Accounts remembered at once; past that all are forgotten, which costs no more than asking again. */
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

  /** Answers still under way are forgotten too: they may be of the time before the change. */
  async function forgetting<T>(change: Promise<T>): Promise<T> {
    try {
      return await change;
    } finally {
      recent.clear();
    }
  }

  return {
    ...employees,

    findAccount(email) {
      const now = clock.now().getTime();
      const known = recent.get(email);
      if (known !== undefined && now >= known.askedAt && now - known.askedAt < accountMilliseconds) {
        return known.account;
      }
      const account = employees.findAccount(email);
      if (recent.size >= maxAccounts) recent.clear();
      recent.set(email, { askedAt: now, account });
      account.catch(() => recent.delete(email));
      return account;
    },

    insert: (...args) => forgetting(employees.insert(...args)),
    update: (...args) => forgetting(employees.update(...args)),
    setActive: (...args) => forgetting(employees.setActive(...args)),
    replacePasswordHash: (id, expected, next, survivingTokenId) =>
      forgetting(employees.replacePasswordHash(id, expected, next, survivingTokenId)),
    setPasswordHash: (id, next) => forgetting(employees.setPasswordHash(id, next)),
    appointAdmin: employee => forgetting(employees.appointAdmin(employee)),
  };
}
