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

    insert: (...asked) => forgetting(employees.insert(...asked)),
    update: (...asked) => forgetting(employees.update(...asked)),
    setActive: (...asked) => forgetting(employees.setActive(...asked)),
    replacePasswordHash: (...asked) => forgetting(employees.replacePasswordHash(...asked)),
    setPasswordHash: (...asked) => forgetting(employees.setPasswordHash(...asked)),
    appointAdmin: (...asked) => forgetting(employees.appointAdmin(...asked)),
  };
}
