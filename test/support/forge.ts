import { createHmac } from "node:crypto";
import { issuer, secretKey } from "./world.ts";

export const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export interface Forgery {
  readonly secret?: string;
  readonly header?: object;
  readonly hash?: string;
}

/** A token made by hand (RFC 7519), so that it can be wrong in every way; undefined claims are left out. */
export function forge(claims: unknown, { secret, header, hash }: Forgery = {}): string {
  const signed = `${encode(header ?? { alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac(hash ?? "sha256", secret ?? secretKey)
    .update(signed)
    .digest("base64url")}`;
}

/** Claims that are all right at this time, without a `sub`. */
export const goodClaims = (email: string, role: string, now: Date) => {
  const iat = Math.floor(now.getTime() / 1_000);
  return { username: email, roles: [role], iss: issuer, iat, exp: iat + 600 };
};
