import type { Clock, TokenClaims, TokenVerifier } from "./ports.ts";

/** Tokens remembered at once; past that all are forgotten, which costs no more than verifying them again. */
const maxTokens = 10_000;

/**
 * Verifies each token once. The same text has the same signature, so that only its expiry can change what it is worth;
 * whether it was revoked is asked elsewhere, and each time.
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
