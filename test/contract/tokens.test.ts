import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeJoseTokens } from "../../src/adapters/jose-tokens.ts";
import type { Clock, TokenSigner, TokenVerifier } from "../../src/application/ports.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { makeFakeTokens } from "../fakes/fake-tokens.ts";

type Tokens = TokenSigner & TokenVerifier;
type OpenTokens = (clock: Clock, lifetimeSeconds: number) => Promise<Tokens>;

const notValid = { name: "DomainError", code: "TOKEN_REFUSED", message: "Token is not valid" };
const employee = { id: 7, email: "Ada@Example.com", role: "MANAGER" } as const;

function tokensContract(name: string, openTokens: OpenTokens): void {
  describe(`tokens: ${name}`, () => {
    test("a signed token says who it was signed for", async () => {
      const clock = makeFakeClock("2026-03-01T12:00:00Z");
      const tokens = await openTokens(clock, 60);
      const { tokenId, ...claims } = await tokens.verify(await tokens.sign(employee, 3));
      const issuedAt = clock.now().getTime() / 1_000;
      assert.deepEqual(claims, {
        employeeId: 7,
        email: "Ada@Example.com",
        role: "MANAGER",
        version: 3,
        issuedAt,
        expiresAt: issuedAt + 60,
      });
      assert.ok(tokenId !== undefined && tokenId !== "");
    });

    test("two tokens of one employee differ", async () => {
      const tokens = await openTokens(makeFakeClock(), 60);
      assert.notEqual(await tokens.sign(employee, 3), await tokens.sign(employee, 3));
    });

    test("a token works until its lifetime is over", async () => {
      const clock = makeFakeClock();
      const tokens = await openTokens(clock, 60);
      const token = await tokens.sign(employee, 3);
      clock.advance(59);
      await tokens.verify(token);
      clock.advance(1);
      await assert.rejects(tokens.verify(token), notValid);
    });

    test("what was not signed here is refused", async () => {
      const clock = makeFakeClock();
      const tokens = await openTokens(clock, 60);
      const token = await tokens.sign(employee, 3);
      for (const other of ["", "a", "a.b.c", `x${token}`, token.slice(0, -2)]) {
        await assert.rejects(tokens.verify(other), notValid, JSON.stringify(other));
      }
    });
  });
}

tokensContract("jose", (clock, lifetimeSeconds) =>
  makeJoseTokens(
    { secretKey: "a secret of at least thirty-two bytes", issuer: "test", lifetimeSeconds },
    clock,
  ),
);
tokensContract("fake", async (clock, lifetimeSeconds) => makeFakeTokens(clock, lifetimeSeconds));
