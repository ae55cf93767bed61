import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withKnownTokens } from "../../src/application/known-tokens.ts";
import type { TokenVerifier } from "../../src/application/ports.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";
import { makeFakeTokens } from "../fakes/fake-tokens.ts";

const employee = { id: 7, email: "ada@example.com", role: "MANAGER" } as const;
const refused = { code: "TOKEN_REFUSED" };

function openTokens() {
  const clock = makeFakeClock();
  const tokens = makeFakeTokens(clock, 60);
  const verified: string[] = [];
  const watched: TokenVerifier = {
    verify(token) {
      verified.push(token);
      return tokens.verify(token);
    },
  };
  return { clock, verified, sign: () => tokens.sign(employee, 1), known: withKnownTokens(watched, clock) };
}

describe("known tokens", () => {
  test("are verified once, and say the same each time", async () => {
    const { verified, sign, known } = openTokens();
    const token = await sign();
    const claims = await known.verify(token);
    assert.deepEqual(await known.verify(token), claims);
    assert.equal(claims.employeeId, 7);
    assert.deepEqual(verified, [token]);
  });

  test("expire like all others", async () => {
    const { clock, sign, known } = openTokens();
    const token = await sign();
    await known.verify(token);
    clock.advance(61);
    await assert.rejects(known.verify(token), refused);
    await assert.rejects(known.verify(token), refused);
  });

  test("are known by their whole text", async () => {
    const { sign, known } = openTokens();
    const token = await sign();
    await known.verify(token);
    for (const other of [`${token}x`, token.slice(1), token.toUpperCase(), ""]) {
      await assert.rejects(known.verify(other), refused, other);
    }
  });

  test("do not include refused ones, of which there is no end", async () => {
    const { verified, known } = openTokens();
    await assert.rejects(known.verify("a"), refused);
    await assert.rejects(known.verify("a"), refused);
    assert.deepEqual(verified, ["a", "a"]);
  });

  test("are forgotten when there are too many, and verified again", async () => {
    const { verified, sign, known } = openTokens();
    const first = await sign();
    await known.verify(first);
    for (let i = 0; i < 10_000; i += 1) await known.verify(await sign());
    await known.verify(first);
    assert.equal(verified.length, 10_002);
  });
});
