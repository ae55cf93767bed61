import { createHmac } from "node:crypto";
import { issuer, secretKey } from "./world.ts";

export const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export interface Forgery {
  readonly secret?: string;
  readonly header?: object;
  readonly hash?: string;
}

export const hs256 = { alg: "HS256", typ: "JWT" };

/** A text with the signature of its bytes, whatever they are. */
export const signed = (text: string, secret = secretKey, hash = "sha256"): string =>
  `${text}.${createHmac(hash, secret).update(text).digest("base64url")}`;

/** A token made by hand (RFC 7519), so that it can be wrong in every way; undefined claims are left out. */
export const forge = (claims: unknown, { secret, header = hs256, hash }: Forgery = {}): string =>
  signed(`${encode(header)}.${encode(claims)}`, secret, hash);

/** Claims that are all right at this time, without a `sub`. */
export const goodClaims = (email: string, role: string, now: Date) => {
  const iat = Math.floor(now.getTime() / 1_000);
  return { username: email, roles: [role], iss: issuer, iat, exp: iat + 600 };
};
