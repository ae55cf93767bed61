import { randomUUID } from "node:crypto";
import type { Clock, TokenClaims, TokenSigner, TokenVerifier } from "../../src/application/ports.ts";
import { tokenNotValid } from "../../src/domain/error.ts";

/** Tokens that only this object knows: a random name for the claims kept here. */
export function makeFakeTokens(clock: Clock, lifetimeSeconds: number): TokenSigner & TokenVerifier {
  const issued = new Map<string, TokenClaims>();
  return {
    async sign({ id, email, role }, version) {
      const token = randomUUID();
      const issuedAt = Math.floor(clock.now().getTime() / 1_000);
      const expiresAt = issuedAt + lifetimeSeconds;
      issued.set(token, { employeeId: id, email, role, version, tokenId: token, issuedAt, expiresAt });
      return token;
    },
    async verify(token) {
      const found = issued.get(token);
      if (found === undefined || found.expiresAt * 1_000 <= clock.now().getTime()) throw tokenNotValid();
      return found;
    },
  };
}
