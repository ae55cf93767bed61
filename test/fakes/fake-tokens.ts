import { randomUUID } from "node:crypto";
import { tokenNotValid } from "../../src/application/authentication.ts";
import type { Clock, TokenClaims, TokenSigner, TokenVerifier } from "../../src/application/ports.ts";

/** Tokens that only this object knows: a random name for the claims kept here. */
export function makeFakeTokens(clock: Clock, lifetimeSeconds: number): TokenSigner & TokenVerifier {
  const issued = new Map<string, TokenClaims & { readonly expiresAt: number }>();
  return {
    async sign({ id, email, role }, version) {
      const token = randomUUID();
      const now = clock.now().getTime();
      const claims = {
        employeeId: id,
        email,
        role,
        version,
        tokenId: token,
        issuedAt: Math.floor(now / 1_000),
      };
      issued.set(token, { ...claims, expiresAt: now + lifetimeSeconds * 1_000 });
      return token;
    },
    async verify(token) {
      const found = issued.get(token);
      if (found === undefined || found.expiresAt <= clock.now().getTime()) throw tokenNotValid();
      const { expiresAt: _, ...claims } = found;
      return claims;
    },
  };
}
