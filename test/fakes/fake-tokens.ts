import { randomUUID } from "node:crypto";
import type { Clock } from "../../src/application/clock-and-log.ts";
import type { TokenClaims, Tokens } from "../../src/application/ports.ts";
import { emailKey } from "../../src/domain/employee.ts";
import { tokenNotValid } from "../../src/domain/error.ts";

/** Tokens that only this object knows: a random name for the claims kept here. */
export function makeFakeTokens(clock: Clock, lifetimeSeconds: number): Tokens {
  const issued = new Map<string, TokenClaims>();
  return {
    async sign({ employee: { id, email, role }, tokenVersion, tokensValidFrom }) {
      const token = randomUUID();
      const now = Math.floor(clock.now().getTime() / 1_000);
      issued.set(token, {
        employeeId: id,
        email: emailKey(email),
        role,
        version: tokenVersion,
        tokenId: token,
        issuedAt: Math.max(now, tokensValidFrom),
        expiresAt: now + lifetimeSeconds,
      });
      return token;
    },
    async verify(token) {
      const found = issued.get(token);
      if (found === undefined || found.expiresAt * 1_000 <= clock.now().getTime())
        throw tokenNotValid("expired");
      return found;
    },
  };
}
