import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeArgon2PasswordHasher } from "../../src/adapters/argon2-password-hasher.ts";
import { makeJoseTokens } from "../../src/adapters/jose-tokens.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";

/** What other implementations have computed: an upgrade that computes anything else must not pass. */

describe("argon2id", () => {
  // RFC 9106's own vectors have a key and associated data, which no stored hash can say.
  /** Made with the program argon2 of the reference implementation, at our cost and at a lower one. */
  const { verify } = makeArgon2PasswordHasher();
  for (const [password, hash] of [
    [
      "password",
      "$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbi1ieXRlLXNsdA$VFrg3Ou+4EaLoV6x3ZB8BeMd5YitQwrN9P81M9X40+8",
    ],
    [
      "pæss 😀",
      "$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbi1ieXRlLXNsdA$jp/W6OUryzNCpAVTLcAR2nG3ZymiCNW1oLkHC20mTRU",
    ],
    [
      "password",
      "$argon2id$v=19$m=256,t=1,p=1$c2l4dGVlbi1ieXRlLXNsdA$mS9tTfUAeVvxIZ/i68HVO0KqRnWN+u+PVPbOoMWgd4g",
    ],
    // Of the composed letter, by the library, which gives the same hashes for the passwords above.
    [
      "cafe\u0301",
      "$argon2id$v=19$m=256,t=1,p=1$c2l4dGVlbi1ieXRlLXNsdA$LRUk0Ik/tgVd6rUu37r3goF2B6ENtpBeExcnDf1FlAA",
    ],
  ] as const) {
    test(`of the adapter is that of the reference program: ${JSON.stringify(password)}`, async () => {
      assert.equal(await verify(hash, password, ["operator"], () => {}), true);
      assert.equal(await verify(hash, `${password} `, ["operator"], () => {}), false);
    });
  }
});

test("HS256 of the adapter is that of OpenSSL", async () => {
  const secretKey = "a key of the known answers, 32 bytes or more";
  const clock = makeFakeClock("2011-03-22T18:00:00Z");
  const tokens = await makeJoseTokens({ secretKey, issuer: "joe", tokenLifetimeSeconds: 60 }, clock);
  const token =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." +
    "eyJ1c2VybmFtZSI6ImFkYUBleGFtcGxlLmNvbSIsInJvbGVzIjpbIk1BTkFHRVIiXSwidmVyIjozLCJzdWIiOiI3Ii" +
    "wiaXNzIjoiam9lIiwiaWF0IjoxMzAwODE1NzgwLCJleHAiOjEzMDA4MTkzODAsImp0aSI6ImEifQ." +
    "AuKkhTakBpcdBNmkLOBJ-oy1XeIMAh7mWlkHS1gldPg";
  assert.deepEqual(await tokens.verify(token), {
    employeeId: 7,
    email: "ada@example.com",
    role: "MANAGER",
    tokenId: "a",
    version: 3,
    issuedAt: 1_300_815_780,
    expiresAt: 1_300_819_380,
  });
});
