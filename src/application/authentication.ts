import type { Employee, Login } from "../domain/employee.ts";
import { DomainError, tokenNotValid } from "../domain/error.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import type { Account, Caller, Origin, Ports, TokenClaims } from "./ports.ts";

/**
 * The identity behind a valid token: an employee; none, because the token has no `username` or no known role; or an
 * email that matches no employee.
 */
export type Identity =
  | { readonly kind: "employee"; readonly caller: Caller }
  | {
      readonly kind: "no username" | "no role" | "unknown employee";
      /** Whom the token was signed for. */
      readonly employeeId: number | undefined;
    };

export function makeAuthentication({
  employees,
  passwords,
  tokens,
  throttle,
}: Pick<Ports, "employees" | "passwords" | "tokens"> & { readonly throttle: LoginThrottle }) {
  return {
    /** Throws LOGIN_FAILED, the same for an unknown email, a wrong password and an inactive employee, and THROTTLED. */
    async logIn(
      { email, password }: Login,
      { address, events }: Origin,
    ): Promise<{ token: string; authUser: Employee }> {
      throttle.refuseThrottled(email, address);
      const credentials = await employees.findCredentialsByEmail(email);
      const matches = await passwords.verify(credentials?.passwordHash, password);
      // Checked again after the hash: guesses that ran in parallel must not reveal their outcome once others have failed.
      throttle.refuseThrottled(email, address);
      if (credentials === undefined || !matches || !credentials.employee.active) {
        throttle.countFailure(email, address);
        const employeeId = credentials?.employee.id;
        throw new DomainError("LOGIN_FAILED", "Wrong email or password", { employeeId });
      }
      throttle.countSuccess(email, address);
      const { employee, tokenVersion } = credentials;
      events.info("logged in", { employeeId: employee.id });
      return { token: await tokens.sign(employee, tokenVersion), authUser: employee };
    },

    /** Throws TOKEN_REFUSED for a token that is not valid, was revoked, or names two employees in `sub` and `username`. */
    async identify(token: string): Promise<Identity> {
      const claims = await tokens.verify(token);
      const { employeeId, email, role, tokenId, issuedAt } = claims;
      if (email === undefined) return { kind: "no username", employeeId };
      if (role === undefined) return { kind: "no role", employeeId };
      const cached = await employees.findAccount(email);
      // The cached account may be older than the token, which another process may have signed a moment ago.
      const isRefused = cached === undefined || !isLive(claims, cached);
      const account = isRefused ? await employees.findAccount(email, issuedAt) : cached;
      if (account === undefined) return { kind: "unknown employee", employeeId };
      if (!isLive(claims, account)) throw tokenNotValid(employeeId ?? account.employee.id);
      const { employee, tokenVersion } = account;
      return { kind: "employee", caller: { employeeId: employee.id, email, role, tokenId, tokenVersion } };
    },
  };
}

/** Whether the token belongs to this account and nothing has revoked it since it was issued. */
function isLive({ employeeId, tokenId, version, issuedAt }: TokenClaims, account: Account): boolean {
  if (employeeId !== undefined && employeeId !== account.employee.id) return false;
  if (!account.employee.active) return false;
  if (tokenId !== undefined && tokenId === account.survivingTokenId) return true;
  return version === undefined
    ? (issuedAt ?? 0) >= account.tokensValidFrom
    : version === account.tokenVersion;
}

export type Authentication = ReturnType<typeof makeAuthentication>;
