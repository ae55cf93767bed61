import type { Clock, TokenClaims, TokenVerifier } from "./ports.ts";

/** Size of the cache. When it is full it is cleared, and the tokens are verified again. */
const maxTokens = 10_000;

/**
 * Caches verified tokens. The same text has the same signature, so only its expiry has to be checked again. Revocation is
 * not cached here: authentication.ts checks it on every request.
 */
export function withKnownTokens(tokens: TokenVerifier, clock: Clock): TokenVerifier {
  const known = new Map<string, TokenClaims>();
  return {
    async verify(token) {
      const claims = known.get(token);
      if (claims !== undefined && clock.now().getTime() < claims.expiresAt * 1_000) return claims;
      known.delete(token);
      const verified = await tokens.verify(token);
      if (known.size >= maxTokens) known.clear();
      known.set(token, verified);
      return verified;
    },
  };
}
