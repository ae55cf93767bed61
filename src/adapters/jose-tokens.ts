import { randomUUID, webcrypto } from "node:crypto";
import type { JWTPayload } from "jose";
// By its parts: the whole library takes twice as long to load.
import { JOSEError, JWSSignatureVerificationFailed } from "jose/errors";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import type { Clock } from "../application/clock-and-log.ts";
import type { TokenClaims, Tokens } from "../application/ports.ts";
import { emailKey } from "../domain/employee.ts";
import { tokenNotValid } from "../domain/error.ts";
import { isStorable } from "../domain/field.ts";
import { isRole } from "../domain/role.ts";

interface TokenSettings {
  /** At least 32 bytes (RFC 7518, section 3.2). */
  readonly secretKey: string;
  /** Verifies tokens of the time before `secretKey`, and signs none. */
  readonly previousSecretKey?: string | undefined;
  readonly issuer: string;
  readonly tokenLifetimeSeconds: number;
}

const algorithm = "HS256";

/** Three parts in base64url, which has no `=` (RFC 7515, sections 2 and 7.1): jose reads other text as well. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Signed tokens (RFC 7519) with the claims `username`, `roles`, `ver`, `iss`, `iat`, `exp`, `jti` and `sub`. Only HS256 is
 * accepted, and only with an issuer and an expiry (RFC 8725, sections 3.1 and 3.8).
 */
export async function makeJoseTokens(settings: TokenSettings, clock: Clock): Promise<Tokens> {
  const { secretKey, previousSecretKey, issuer, tokenLifetimeSeconds } = settings;
  const key = await importKey(secretKey);
  const previousKey = previousSecretKey === undefined ? undefined : await importKey(previousSecretKey);

  return {
    sign: ({ employee: { id, email, role }, tokenVersion, tokensValidFrom }) => {
      const now = Math.floor(clock.now().getTime() / 1000);
      return (
        new SignJWT({ username: email, roles: [role], ver: tokenVersion })
          .setProtectedHeader({ alg: algorithm, typ: "JWT" })
          .setSubject(String(id))
          .setIssuer(issuer)
          // A revocation ends all tokens issued up to the end of its second, by the clock of the database, which may be ahead of this one.
          .setIssuedAt(Math.max(now, tokensValidFrom))
          .setExpirationTime(now + tokenLifetimeSeconds)
          .setJti(randomUUID())
          .sign(key)
      );
    },

    async verify(token) {
      if (!compact.test(token)) throw tokenNotValid("not a JWT");
      const options = { algorithms: [algorithm], issuer, requiredClaims: ["exp"], currentDate: clock.now() };
      try {
        const { payload } = await jwtVerify<Payload>(token, key, options).catch(error => {
          if (previousKey === undefined || !(error instanceof JWSSignatureVerificationFailed)) throw error;
          return jwtVerify<Payload>(token, previousKey, options);
        });
        return readClaims(payload);
      } catch (error) {
        throw error instanceof JOSEError ? tokenNotValid(reasonOf(error)) : error;
      }
    },
  };
}

/** Without the message, which may quote the token. The claims are those that `verify` asks for. */
function reasonOf(error: JOSEError): string {
  const { code, claim } = error as JOSEError & { readonly claim?: string };
  return claim === undefined ? code : `${code}: ${claim}`;
}

const hmac = { name: "HMAC", hash: "SHA-256" };
const importKey = (secret: string) =>
  webcrypto.subtle.importKey("raw", Buffer.from(secret), hmac, false, ["sign", "verify"]);

type Payload = { readonly username?: unknown; readonly roles?: unknown; readonly ver?: unknown };

/** Throws TOKEN_REFUSED for a `sub` or `username` that no employee can have, and for a `ver` that is not a number. */
function readClaims({ sub, username, roles, jti, ver, iat, exp }: JWTPayload & Payload): TokenClaims {
  if (sub !== undefined && !(typeof sub === "string" && /^[1-9]\d{0,14}$/.test(sub)))
    throw tokenNotValid("sub is no id");
  if (ver !== undefined && typeof ver !== "number") throw tokenNotValid("ver is no number");
  const email = typeof username === "string" && username.trim() !== "" ? username : undefined;
  if (email !== undefined && !isStorable(email)) throw tokenNotValid("username is no email");
  const role = Array.isArray(roles) && roles.length === 1 ? roles[0] : undefined;
  return {
    employeeId: sub === undefined ? undefined : Number(sub),
    email: email === undefined ? undefined : emailKey(email),
    role: isRole(role) ? role : undefined,
    tokenId: typeof jti === "string" ? jti : undefined,
    version: ver,
    issuedAt: iat,
    // There is one: verification asks for it.
    expiresAt: exp ?? 0,
  };
}
