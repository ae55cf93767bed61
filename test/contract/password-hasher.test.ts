import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeArgon2PasswordHasher } from "../../src/adapters/argon2-password-hasher.ts";
import type { PasswordHasher } from "../../src/application/ports.ts";
import { makeFakePasswordHasher } from "../fakes/fake-password-hasher.ts";

const line = ["line"];

function passwordHasherContract(name: string, hasher: PasswordHasher): void {
  const passwords = {
    hash: (password: string) => hasher.hash(password, line),
    verify: (hash: string | undefined, password: string) => hasher.verify(hash, password, line, () => {}),
  };
  describe(`password hasher: ${name}`, () => {
    test("a hash verifies its own password and no other", async () => {
      const hash = await passwords.hash("secret 1");
      assert.equal(await passwords.verify(hash, "secret 1"), true);
      for (const other of ["secret 2", "secret 1 ", " secret 1", "Secret 1", ""]) {
        assert.equal(await passwords.verify(hash, other), false, JSON.stringify(other));
      }
    });

    test("a hash does not contain its password, and two hashes of one password differ", async () => {
      const [one, other] = [await passwords.hash("secret 1"), await passwords.hash("secret 1")];
      assert.ok(!one.includes("secret 1"));
      assert.notEqual(one, other);
    });

    test("whitespace and characters beyond ASCII count", async () => {
      const hash = await passwords.hash("  pæss 𝄞  ");
      assert.equal(await passwords.verify(hash, "  pæss 𝄞  "), true);
      assert.equal(await passwords.verify(hash, "pæss 𝄞"), false);
    });

    test("what refuses a verification when it begins is thrown", async () => {
      const hash = await passwords.hash("secret 1");
      const refuse = () => {
        throw new Error("refused");
      };
      await assert.rejects(hasher.verify(hash, "secret 1", line, refuse), /^Error: refused$/);
      assert.equal(await passwords.verify(hash, "secret 1"), true);
    });

    test("nothing verifies without a hash, or against something that is not one", async () => {
      assert.equal(await passwords.verify(undefined, "secret 1"), false);
      assert.equal(await passwords.verify("not a hash", "secret 1"), false);
    });
  });
}

passwordHasherContract("argon2", makeArgon2PasswordHasher());
passwordHasherContract("fake", makeFakePasswordHasher());
