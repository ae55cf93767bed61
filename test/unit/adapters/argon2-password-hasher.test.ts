import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { extname } from "node:path";
import { describe, test } from "node:test";
import { hash as argon2 } from "@node-rs/argon2";
import { makeArgon2PasswordHasher } from "../../../src/adapters/argon2-password-hasher.ts";

const line = ["line"];
const inLine = makeArgon2PasswordHasher();
const hash = (password: string) => inLine.hash(password, line);
const verify = (stored: string | undefined, password: string) =>
  inLine.verify(stored, password, line, () => {});
const password = "correct horse";

/** Hashes of this password as they may be stored; argon2 itself finds that each of them matches. */
const stored = {
  ours: "$argon2id$v=19$m=19456,t=2,p=1$MPyYoJONq00v7+EEEnAcyA$sQOo+UfbCaIlGHcFamKFlk+nEPBgiWeIofrDDpArWaU",
  moreMemory:
    "$argon2id$v=19$m=19457,t=2,p=1$lAdBt9PGQd/oOB663s9X6A$QCb4XpCV5FelhAqVJUpL6zdOrHP0oybYk82aHYyhlzk",
  morePasses:
    "$argon2id$v=19$m=19456,t=3,p=1$lv3B9lsQUG4+nwm5nvF2Nw$rRxk49+D2xHQouVf0oIIUF4xA2DeFkCctLuNq4tIXFM",
  moreLanes:
    "$argon2id$v=19$m=19456,t=2,p=2$CfnosgQO+mEW2xBDhOd3XA$1VJ+oz0rMF1u+G4S8rD7n8CWerNaR5IKP9FbKkkdR0w",
  argon2i: "$argon2i$v=19$m=19456,t=2,p=1$5pPOfg/x1tEKIzDSrdtP9Q$ztg/eM3SxgfELjcJlRx/MNwmztqetyBZIAcu11jLzi0",
  argon2d: "$argon2d$v=19$m=19456,t=2,p=1$l8Wv1ZFdc/jPt8YZWfBGTQ$vUws8beydHb4NZgmGU16hAhiuy8s5lvEgL7gWQlgxyk",
  olderVersion:
    "$argon2id$v=16$m=4096,t=2,p=1$a78f7IjB0xXNl9dhfe4loA$0bUcmobzMse1f7UQX4HedU1YmxmVo5Ctd8ZHrHF88XU",
};

describe("a hash made here", () => {
  test("matches its password and no other", async () => {
    const made = await hash(password);
    assert.equal(await verify(made, password), true);
    for (const other of ["Correct horse", "correct horse ", ""])
      assert.equal(await verify(made, other), false, other);
  });

  test("is argon2id with 19 MiB, two passes and one lane, and another one each time", async () => {
    const [made, again] = await Promise.all([hash(password), hash(password)]);
    assert.match(made, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(made, again);
  });

  test("covers the whole of a long password, whitespace and characters beyond ASCII", async () => {
    const long = ` ${"\u{1f527}".repeat(72)} `;
    const made = await hash(long);
    assert.equal(await verify(made, long), true);
    assert.equal(await verify(made, long.trim()), false);
    assert.equal(await verify(made, `${long.slice(0, -2)}x `), false);
  });

  test("is the same however the keyboard composes a character", async () => {
    const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"];
    assert.equal(await verify(await hash(composed), decomposed), true);
    assert.equal(await verify(await hash(decomposed), composed), true);
  });
});

describe("a hash that is not taken", () => {
  for (const [name, hash] of Object.entries(stored))
    test(`matches its own password only where it is ours: ${name}`, async () => {
      assert.equal(await verify(hash, password), name === "ours");
    });

  // Over one bound and far under the other: the product is that of ours, and the password is right.
  for (const parameters of ["m=38912,t=1,p=1", "m=9728,t=4,p=1"] as const) {
    test(`matches nothing where it is over one bound alone: ${parameters}`, async () => {
      const [, memory = "", passes = ""] = /m=(\d+),t=(\d+)/.exec(parameters) ?? [];
      const costly = await argon2(password, {
        algorithm: 2,
        memoryCost: Number(memory),
        timeCost: Number(passes),
        parallelism: 1,
      });
      assert.ok(costly.includes(parameters));
      assert.equal(await verify(costly, password), false);
    });
  }

  // Running any of these would fail for want of memory, or not come to an end.
  for (const parameters of [
    "m=4294967295,t=2,p=1",
    "m=19456,t=4294967295,p=1",
    "m=99999999999999999999,t=2,p=1",
  ]) {
    test(`is not run: ${parameters}`, { timeout: 30_000 }, async () => {
      const costly = stored.ours.replace("m=19456,t=2,p=1", parameters);
      assert.equal(await verify(costly, password), false);
    });
  }

  const bcrypt = "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW";
  const damaged = [
    "$argon2id$v=19$m=19456,t=2,p=1$garbage",
    stored.ours.slice(0, -8),
    `x\n${stored.ours}`,
    `${stored.ours}x`,
  ];
  for (const garbage of ["", password, bcrypt, ...damaged]) {
    test(`matches nothing when it is ${JSON.stringify(garbage.slice(0, 20))}`, async () => {
      assert.equal(await verify(garbage, password), false);
    });
  }
});

test("without a hash no password matches", async () => {
  for (const attempt of [password, ""]) assert.equal(await verify(undefined, attempt), false);
});

test("finding that there is no hash costs as much as finding that a password is wrong", async () => {
  // In time of the processors, which other programs do not lengthen.
  const cost = async (hash: string | undefined) => {
    const before = process.cpuUsage();
    for (let i = 0; i < 6; i += 1) await verify(hash, "wrong horse");
    return process.cpuUsage(before).user;
  };
  await cost(stored.ours);
  const [known, unknown] = [await cost(stored.ours), await cost(undefined)];
  assert.ok(unknown > known / 2 && unknown < known * 2, `${unknown} µs and ${known} µs`);
});

test("leaves half of libuv's threads to all else, however many cores there are, and lets 200 wait", async () => {
  const cores = os.availableParallelism;
  try {
    for (const [available, working] of [
      [1, 1],
      [64, 2],
    ] as const) {
      os.availableParallelism = () => available;
      syncBuiltinESMExports();
      // As the tests run: from the source, or compiled.
      const path = `../../../src/adapters/argon2-password-hasher${extname(import.meta.url)}?cores=${available}`;
      const { makeArgon2PasswordHasher: make } = (await import(path)) as {
        makeArgon2PasswordHasher: typeof makeArgon2PasswordHasher;
      };
      const { workingLimit, waitingLimit } = make().load();
      assert.deepEqual([workingLimit, waitingLimit], [working, 200]);
    }
  } finally {
    os.availableParallelism = cores;
    syncBuiltinESMExports();
  }
});

test("turns away what the queue has no room for", async () => {
  const hasher = makeArgon2PasswordHasher({ working: 1, waiting: 2 });
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => hasher.hash(password, line)));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"],
  );
});

test("says how many are at work and how many wait", async () => {
  const hasher = makeArgon2PasswordHasher({ working: 2, waiting: 10 });
  const load = (working: number, waiting: number) => ({
    working,
    workingLimit: 2,
    waiting,
    waitingLimit: 10,
  });
  assert.deepEqual(hasher.load(), load(0, 0));
  const hashes = Array.from({ length: 5 }, () => hasher.hash(password, line));
  assert.deepEqual(hasher.load(), load(2, 3));
  await Promise.all(hashes);
  assert.deepEqual(hasher.load(), load(0, 0));
});
