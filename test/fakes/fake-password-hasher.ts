import { createHash, randomBytes } from "node:crypto";
import type { PasswordHasher } from "../../src/application/ports.ts";

const digest = (salt: string, password: string) =>
  createHash("sha256")
    .update(`${salt} ${password.normalize("NFC")}`)
    .digest("hex");

/** One-way and salted like the real one, but without its cost. */
export const makeFakePasswordHasher = (): PasswordHasher => ({
  async hash(password) {
    const salt = randomBytes(8).toString("hex");
    return `${salt}:${digest(salt, password)}`;
  },
  async verify(hash, password, _line, begin) {
    begin();
    const [salt = "", expected] = (hash ?? "").split(":");
    return expected === digest(salt, password);
  },
});
