import { tokenNotValid } from "../domain/error.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { Account, Caller, Ports, TokenClaims } from "./ports.ts";

/**
 * Whose a verified token is: an employee's; nobody's, because it has no `username` or no known role; or that of an email
 * that matches no employee.
 */
type TokenHolder =
  | { readonly kind: "employee"; readonly caller: Caller }
  | {
      readonly kind: "no username" | "no role" | "unknown employee";
      /** Whom the token was signed for. */
      readonly employeeId: number | undefined;
    };

interface Session {
  readonly claims: TokenClaims;
  readonly readAt: number;
  readonly holder: Promise<TokenHolder>;
}

/** How long a session is used before its account is read again: revocations by other processes take effect within this time. */
const recentMilliseconds = 500;
const maxSessions = 10_000;

export type Sessions = ReturnType<typeof makeSessions>;

/** Verifies each token once, and reads its account every half a second instead of on every request. */
export function makeSessions({ employees, tokens, clock }: Pick<Ports, "employees" | "tokens" | "clock">) {
  const sessions = new BoundedMap<string, Session>(maxSessions);

  async function findHolder(claims: TokenClaims): Promise<TokenHolder> {
    const { employeeId, email, role, tokenId } = claims;
    if (email === undefined) return { kind: "no username", employeeId };
    if (role === undefined) return { kind: "no role", employeeId };
    const account = await employees.findAccount(email);
    if (account === undefined) return { kind: "unknown employee", employeeId };
    const { employee, tokenVersion } = account;
    const refusal = refusalOf(account, claims);
    if (refusal !== undefined) throw tokenNotValid(refusal, employeeId ?? employee.id);
    return { kind: "employee", caller: { employeeId: employee.id, email, role, tokenId, tokenVersion } };
  }

  return {
    /** Throws TOKEN_REFUSED for a token that is not valid, was revoked, or is not the employee's of its `username`. */
    async identify(token: string): Promise<TokenHolder> {
      const claims = sessions.get(token)?.claims ?? (await tokens.verify(token));
      if (clock.now().getTime() >= claims.expiresAt * 1_000)
        throw tokenNotValid("expired", claims.employeeId);
      const now = clock.elapsed();
      const session = sessions.get(token);
      if (session !== undefined && now - session.readAt < recentMilliseconds) return await session.holder;
      const holder = findHolder(claims);
      sessions.set(token, { claims, readAt: now, holder });
      // Drops a session that could not be read, unless a newer one has taken its place. The caller gets the failure too.
      holder.catch(() => {
        if (sessions.get(token)?.holder === holder) sessions.delete(token);
      });
      return holder;
    },

    /**
     * Waits for a change of an employee, and forgets all sessions then: also those whose account is still being read,
     * which may be the one before the change.
     */
    async forgetAfter<T>(change: Promise<T>): Promise<T> {
      try {
        return await change;
      } finally {
        sessions.clear();
      }
    },
  };
}

/**
 * Whether nothing has revoked the caller's token. Each statement that writes asks the same of the stored account; the
 * contract suite holds the two against each other.
 */
export const isLive = (
  { employee, tokenVersion, survivingTokenId }: Account,
  token: Pick<Caller, "tokenId" | "tokenVersion">,
): boolean =>
  employee.active &&
  (token.tokenVersion === tokenVersion || (survivingTokenId !== null && token.tokenId === survivingTokenId));

/**
 * A database that was set back counts the versions of an account again, so a version alone does not tell that a token is of
 * this history: the token also has to have the employee's role, and to have been issued after the latest revocation.
 */
function refusalOf(account: Account, { employeeId, role, tokenId, version, issuedAt = 0 }: TokenClaims) {
  const { employee, tokenVersion, survivingTokenId, tokensValidFrom } = account;
  if (employeeId !== undefined && employeeId !== employee.id) return "sub is another employee than username";
  if (!employee.active) return "the employee is inactive";
  if (role !== employee.role) return "the employee has another role";
  const hasSurvived = tokenId !== undefined && tokenId === survivingTokenId;
  if (!hasSurvived && issuedAt < tokensValidFrom) return "revoked";
  // A token without a version is judged by the time of its issue alone.
  return isLive(account, { tokenId, tokenVersion: version ?? tokenVersion }) ? undefined : "revoked";
}
