import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeJoseTokens } from "../../../src/adapters/jose-tokens.ts";
import { makeFakeClock } from "../../fakes/fake-clock.ts";
import { encode, forge as forgeToken, signed } from "../../support/forge.ts";

const settings = {
  secretKey: "a secret key of these tests: \u00e6\u00f8\u00e5 \u{1f527}",
  issuer: "maintenance-log",
  tokenLifetimeSeconds: 3_600,
};
const employee = { id: 7, email: "Ada@example.com", role: "MANAGER" } as const;
const account = { employee, tokenVersion: 3, tokensValidFrom: 0 };

const start = "2026-03-01T12:00:00.900Z";
const now = 1_772_366_400;
const clock = makeFakeClock(start);
const tokens = await makeJoseTokens(settings, clock);

const notValid = { name: "DomainError", code: "TOKEN_REFUSED", message: "Token is not valid" };
const claims = {
  username: "Ada@example.com",
  roles: ["MANAGER"],
  iss: "maintenance-log",
  iat: now,
  exp: now + 3_600,
  jti: "8c1f1a52-7f0d-4c0e-9f0a-2d1b8b8a7c11",
  sub: "7",
};
/** What these say. */
const known = {
  employeeId: 7,
  email: "ada@example.com",
  role: "MANAGER",
  tokenId: claims.jti,
  version: undefined,
  issuedAt: now,
  expiresAt: now + 3_600,
};

const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? "", "base64url").toString());

const forge = (
  payload: unknown,
  header: object = { alg: "HS256" },
  secret = settings.secretKey,
  hash = "sha256",
) => forgeToken(payload, { header, secret, hash });

const signedAs = (text: string): string => signed(text, settings.secretKey);
/** With slashes, and without padding. */
const base64 = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64").replaceAll("=", "");

/** JSON leaves a claim out that is undefined. */
const withClaims = (changed: object): string => forge({ ...claims, ...changed });

describe("a token for an employee", () => {
  test("carries exactly these claims, in whole seconds", async () => {
    const [header, payload] = (await tokens.sign(account)).split(".");
    assert.deepEqual(decode(header), { alg: "HS256", typ: "JWT" });
    const { jti, ...others } = decode(payload);
    const again = decode((await tokens.sign(account)).split(".")[1]);
    assert.deepEqual(others, {
      username: "Ada@example.com",
      roles: ["MANAGER"],
      ver: 3,
      iss: "maintenance-log",
      iat: now,
      exp: now + 3_600,
      sub: "7",
    });
    assert.match(jti, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    assert.notEqual(again.jti, jti);
  });

  test("is not issued before the moment from which the account's tokens are valid", async () => {
    const token = await tokens.sign({ ...account, tokensValidFrom: now + 3 });
    const { issuedAt, expiresAt } = await tokens.verify(token);
    assert.deepEqual({ issuedAt, expiresAt }, { issuedAt: now + 3, expiresAt: now + 3_600 });
  });

  test("is valid until the second before it expires", async () => {
    const clock = makeFakeClock(start);
    const { sign, verify } = await makeJoseTokens(settings, clock);
    const token = await sign(account);
    clock.advance(3_599);
    assert.equal((await verify(token)).version, 3);
    clock.advance(1);
    await assert.rejects(verify(token), notValid);
  });
});

describe("after a change of the secret key", () => {
  const changed = {
    ...settings,
    secretKey: "the new secret key of these tests",
    previousSecretKey: settings.secretKey,
  };

  test("tokens of the previous one are valid until they expire", async () => {
    const clock = makeFakeClock(start);
    const { verify } = await makeJoseTokens(changed, clock);
    assert.deepEqual(await verify(forge(claims)), known);
    clock.advance(3_600);
    await assert.rejects(verify(forge(claims)), notValid);
  });

  test("tokens are signed with the new one", async () => {
    const { sign } = await makeJoseTokens(changed, clock);
    const onlyNew = await makeJoseTokens({ ...changed, previousSecretKey: undefined }, clock);
    const token = await sign(account);
    assert.equal((await onlyNew.verify(token)).employeeId, 7);
    await assert.rejects(tokens.verify(token), notValid);
  });

  test("everything else about a token of the previous one is checked too", async () => {
    const { verify } = await makeJoseTokens(changed, clock);
    for (const token of [
      forge({ ...claims, iss: "another" }),
      forge({ ...claims, exp: undefined }),
      forge(claims, { alg: "HS512" }, settings.secretKey, "sha512"),
      forge(claims, { alg: "HS256" }, "a secret that was never ours, of 32 bytes"),
    ]) {
      await assert.rejects(verify(token), notValid);
    }
  });
});

describe("what a valid token says", () => {
  for (const [what, changed, expected] of [
    ["all claims, signed by hand", {}, known],
    ["no sub", { sub: undefined }, { ...known, employeeId: undefined }],
    [
      "no jti and no iat",
      { jti: undefined, iat: undefined },
      { ...known, tokenId: undefined, issuedAt: undefined },
    ],
    ["a version", { ver: 3 }, { ...known, version: 3 }],
    ["no username", { username: undefined }, { ...known, email: undefined }],
    ["a username that is null", { username: null }, { ...known, email: undefined }],
    ["a blank username", { username: " " }, { ...known, email: undefined }],
    ["a username that is no text", { username: 7 }, { ...known, email: undefined }],
    ["no roles", { roles: undefined }, { ...known, role: undefined }],
    ["an empty set of roles", { roles: [] }, { ...known, role: undefined }],
    ["the role TECHNICIAN", { roles: ["TECHNICIAN"] }, { ...known, role: "TECHNICIAN" }],
    ["the role ADMIN", { roles: ["ADMIN"] }, { ...known, role: "ADMIN" }],
    ["an unknown role", { roles: ["OWNER"] }, { ...known, role: undefined }],
    ["the role of routes", { roles: ["AUTHENTICATED"] }, { ...known, role: undefined }],
    ["a role in lower case", { roles: ["manager"] }, { ...known, role: undefined }],
    ["two roles", { roles: ["MANAGER", "ADMIN"] }, { ...known, role: undefined }],
    ["one role twice", { roles: ["MANAGER", "MANAGER"] }, { ...known, role: undefined }],
    ["a role that is no list", { roles: "MANAGER" }, { ...known, role: undefined }],
    ["a role within lists", { roles: [["MANAGER"]] }, { ...known, role: undefined }],
  ] as const) {
    test(`with ${what}`, async () => assert.deepEqual(await tokens.verify(withClaims(changed)), expected));
  }
});

describe("a token that is not valid", () => {
  const { iss, ...noIssuer } = claims;
  const good = forge(claims);
  const [header = "", payload = "", signature = ""] = good.split(".");

  for (const [what, token] of [
    ["HS512 with the same secret", forge(claims, { alg: "HS512" }, settings.secretKey, "sha512")],
    ["algorithm none without a signature", `${encode({ alg: "none" })}.${payload}.`],
    ["no algorithm", forge(claims, {})],
    ["a public-key algorithm", forge(claims, { alg: "RS256" })],
    ["a critical header that nobody knows", forge(claims, { alg: "HS256", crit: ["x"], x: 1 })],
    ["another secret", forge(claims, { alg: "HS256" }, "another secret key of these tests")],
    ["no signature", `${header}.${payload}.`],
    ["the signature of another payload", `${header}.${encode({ ...claims, roles: ["ADMIN"] })}.${signature}`],
    ["the signature cut short", good.slice(0, -4)],
    ["= behind its signature", `${good}=`],
    ["= behind its payload, and signed so", signedAs(`${header}.${payload}=`)],
    ["= behind its header, and signed so", signedAs(`${header}=.${payload}`)],
    ["white space in its payload, and signed so", signedAs(`${header}.${payload} `)],
    ["base64 in place of base64url", signedAs(`${header}.${base64({ ...claims, x: "????????" })}`)],
    ["no issuer", forge(noIssuer)],
    ["another issuer", withClaims({ iss: "maintenance" })],
    ["the issuer in another case", withClaims({ iss: iss.toUpperCase() })],
    ["a list of issuers", withClaims({ iss: [iss] })],
    ["no expiry", withClaims({ exp: undefined })],
    ["an expiry that is null", withClaims({ exp: null })],
    ["an expiry in the past", withClaims({ exp: now - 1 })],
    ["an expiry now", withClaims({ exp: now })],
    ["an expiry as text", withClaims({ exp: String(now + 3_600) })],
    ["a start in the future", withClaims({ nbf: now + 60 })],
    ["a version that is no number", withClaims({ ver: "3" })],
    ["a sub that is a word", withClaims({ sub: "ada" })],
    ["a sub with a fraction", withClaims({ sub: "7.0" })],
    ["a sub with whitespace", withClaims({ sub: " 7" })],
    ["a sub too large to be a number", withClaims({ sub: "9".repeat(20) })],
    ["a sub that is null", withClaims({ sub: null })],
    ["a sub that is a number", withClaims({ sub: 7 })],
    ["a sub with leading zeros", withClaims({ sub: "07" })],
    ["a username with NUL", withClaims({ username: "a\0@example.com" })],
    ["a username with a lone surrogate", withClaims({ username: "a\ud800@example.com" })],
    ["a payload that is a list", forge([claims])],
    ["a payload that is null", forge(null)],
    ["no payload", `${header}..${signature}`],
    ["five parts, like an encrypted token", `${header}.a.b.c.d`],
    ["what is not base64url", "\u00e6.\u00f8.\u00e5"],
  ] as const) {
    test(`has ${what}`, async () => {
      await assert.rejects(tokens.verify(token), notValid);
    });
  }
});
