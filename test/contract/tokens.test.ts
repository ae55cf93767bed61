import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeJoseTokens } from "../../src/adapters/jose-tokens.ts";
import type { Tokens } from "../../src/application/ports.ts";
import type { Clock } from "../../src/application/process.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { makeFakeTokens } from "../fakes/fake-tokens.ts";

type OpenTokens = (clock: Clock, lifetimeSeconds: number) => Promise<Tokens>;

const notValid = { name: "DomainError", code: "TOKEN_REFUSED", message: "Token is not valid" };
const employee = { id: 7, email: "Ada@Example.com", role: "MANAGER" } as const;
const account = { employee, tokenVersion: 3, tokensValidFrom: 0 };

function tokensContract(name: string, openTokens: OpenTokens): void {
  describe(`tokens: ${name}`, () => {
    test("a signed token says who it was signed for", async () => {
      const clock = makeFakeClock("2026-03-01T12:00:00Z");
      const tokens = await openTokens(clock, 60);
      const { tokenId, ...claims } = await tokens.verify(await tokens.sign(account));
      const issuedAt = clock.now().getTime() / 1_000;
      assert.deepEqual(claims, {
        employeeId: 7,
        email: "ada@example.com",
        role: "MANAGER",
        version: 3,
        issuedAt,
        expiresAt: issuedAt + 60,
      });
      assert.ok(tokenId !== undefined && tokenId !== "");
    });

    test("a token is not issued before the moment from which the account's tokens are valid", async () => {
      const clock = makeFakeClock("2026-03-01T12:00:00Z");
      const tokens = await openTokens(clock, 60);
      const now = clock.now().getTime() / 1_000;
      const token = await tokens.sign({ ...account, tokensValidFrom: now + 3 });
      const { issuedAt, expiresAt } = await tokens.verify(token);
      assert.deepEqual({ issuedAt, expiresAt }, { issuedAt: now + 3, expiresAt: now + 60 });
    });

    test("two tokens of one employee differ", async () => {
      const tokens = await openTokens(makeFakeClock(), 60);
      assert.notEqual(await tokens.sign(account), await tokens.sign(account));
    });

    test("a token works until its lifetime is over", async () => {
      const clock = makeFakeClock();
      const tokens = await openTokens(clock, 60);
      const token = await tokens.sign(account);
      clock.advance(59);
      await tokens.verify(token);
      clock.advance(1);
      await assert.rejects(tokens.verify(token), notValid);
    });

    test("what was not signed here is refused", async () => {
      const clock = makeFakeClock();
      const tokens = await openTokens(clock, 60);
      const token = await tokens.sign(account);
      for (const other of ["", "a", "a.b.c", `x${token}`, token.slice(0, -2)]) {
        await assert.rejects(tokens.verify(other), notValid, JSON.stringify(other));
      }
    });
  });
}

tokensContract("jose", (clock, lifetimeSeconds) =>
  makeJoseTokens(
    {
      secretKey: "a secret of at least thirty-two bytes",
      issuer: "test",
      tokenLifetimeSeconds: lifetimeSeconds,
    },
    clock,
  ),
);
tokensContract("fake", async (clock, lifetimeSeconds) => makeFakeTokens(clock, lifetimeSeconds));
