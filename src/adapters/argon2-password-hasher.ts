import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import type { Algorithm } from "@node-rs/argon2";
import type { TurnLoad } from "../application/figures.ts";
import type { PasswordHasher } from "../application/ports.ts";
import { Turns } from "../application/turns.ts";

const require = createRequire(import.meta.url);

/**
 * Loaded by the first password, since it takes 6 MB. It is a CommonJS module: to import it, Node would start a parser in
 * WebAssembly, for 10 MB and 20 ms.
 */
const argon2 = (): typeof import("@node-rs/argon2") => require("@node-rs/argon2");

const argon2id = 2 satisfies Algorithm.Argon2id;

/** OWASP Password Storage Cheat Sheet: memory in KiB, passes, lanes. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The hash of a random, unknown password, with the same cost as the real ones. */
const decoy =
  "$argon2id$v=19$m=19456,t=2,p=1$GId1sEodqgPv62WvtLLIAg$Lw12MhAmnBo3/Y0cG0EEkDfpQxo/pVRAAnYKOAl5oU0";

/**
 * How many hashes are computed at one time, and how many may wait for that. More than there are cores would slow each other down, and
 * as many as the 4 threads of libuv's pool would block all other work there.
 */
const limits = { working: Math.min(2, availableParallelism()), waiting: 200 };

/** Keyboards differ in whether they compose é or not (RFC 8265, OpaqueString). */
const opaque = (password: string): string => password.normalize("NFC");

/** Both methods of the port throw UNAVAILABLE when too many wait already. */
export function makeArgon2PasswordHasher(bounds = limits): PasswordHasher & { load(): TurnLoad } {
  const turns = new Turns(bounds);
  return {
    hash: (password, line) =>
      turns.run(line, () => argon2().hash(opaque(password), { algorithm: argon2id, ...cost })),

    async verify(stored, password, line, begin) {
      const hash = isAffordable(stored) ? stored : decoy;
      const matches = await turns.run(line, () => {
        // Throws where the throttle has begun to refuse the login meanwhile.
        begin();
        return argon2().verify(hash, opaque(password));
      });
      return matches && isAffordable(stored);
    },

    load: () => turns.load(),
  };
}

/** A salt of 16 bytes and a hash of 32, in unpadded Base64: what `hash` makes. */
const format = /^\$argon2id\$v=19\$m=([1-9]\d*),t=([1-9]\d*),p=([1-9]\d*)\$[\w+/]{22}\$[\w+/]{43}$/;

/** The cost of a verification is read from the hash: one that asks for more than ours must not be run. */
function isAffordable(stored: string | undefined): stored is string {
  const [, memory, time, lanes] = format.exec(stored ?? "")?.map(Number) ?? [];
  if (memory === undefined || time === undefined || lanes === undefined) return false;
  return memory <= cost.memoryCost && time <= cost.timeCost && lanes <= cost.parallelism;
}
