import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { makeLoginThrottle } from "../../../src/application/login-throttle.ts";
import { emailKey } from "../../../src/domain/employee.ts";
import { makeFakeClock } from "../../fakes/fake-clock.ts";

/** Failures that cost nothing, as docs/reference.md has them: of one email from one address, and of an address. */
const freeFailures = { ofEmail: 5, ofAddress: 50 };
const email = "ada@example.com";
const here = "192.0.2.1";
const elsewhere = "192.0.2.2";

function open() {
  const clock = makeFakeClock();
  const throttle = makeLoginThrottle(clock);
  const waitOf = (email: string, address: string): number => {
    try {
      throttle.refuseThrottled(emailKey(email), address);
      return 0;
    } catch (error) {
      const { code, message, retryAfterSeconds } = error as Record<string, unknown>;
      assert.deepEqual([code, message], ["THROTTLED", "Too many failed logins"]);
      return Number(retryAfterSeconds);
    }
  };
  const fail = (times: number, email: string, address: string) => {
    for (let i = 0; i < times; i += 1) {
      const isHeldBack = waitOf("somebody.new@example.com", address) > 0;
      const count = () => throttle.countFailure(emailKey(email), address);
      if (isHeldBack) assert.throws(count, { code: "THROTTLED" });
      else count();
    }
  };
  return { clock, throttle, waitOf, fail };
}

describe("the login throttle", () => {
  test("remembers a long email in as little memory as a short one", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const { fail, waitOf } = open();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 1_000; i += 1) fail(1, `${i}${"é".repeat(50_000)}`, here);
    collectGarbage();
    const mebibytes = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    assert.ok(mebibytes < 10, `${mebibytes} MiB for 1,000 failures`);
    assert.ok(waitOf(email, here) > 0);
  });

  test("is bounded in what it remembers of those who logged in", () => {
    const { throttle, waitOf, fail } = open();
    // Of emails that nobody has tried before.
    for (let guess = 0; guess < freeFailures.ofAddress; guess += 1)
      fail(1, `guess.${guess}@example.com`, here);
    throttle.countSuccess(emailKey(email), here);
    for (let i = 0; i < 9_999; i += 1) throttle.countSuccess(emailKey(`${i}@example.com`), elsewhere);
    assert.equal(waitOf(email, here), 0);
    throttle.countSuccess(emailKey("one.more@example.com"), elsewhere);
    assert.equal(waitOf(email, here), 10);
  });

  test("remembers a bounded number, the latest failures", () => {
    const { waitOf, fail } = open();
    fail(freeFailures.ofEmail, email, here);
    for (let i = 0; i < 9_999; i += 1) fail(1, `${i}@example.com`, `2001:db8::${i}`);
    assert.ok(waitOf(email, here) > 0);
    fail(1, "one.more@example.com", elsewhere);
    assert.equal(waitOf(email, here), 0);
  });

  test("forgets nothing of an email or an address that goes on failing while 10,000 others fail", () => {
    const { waitOf, fail } = open();
    fail(freeFailures.ofAddress, email, here);
    for (const half of [0, 1]) {
      for (let i = 0; i < 6_000; i += 1) fail(1, `${half}.${i}@example.com`, `2001:db8::${half}:${i}`);
      fail(1, email, here);
    }
    assert.equal(waitOf(email, here), 900);
    assert.equal(waitOf("fresh@example.com", here), 10);
  });
});

/**
 * What the rules say of a history, reckoned anew each time: the wait of an email at an address, in seconds. A success of an
 * email forgives its own failures, and is never forgotten; nothing else changes with it.
 */
function waitByTheRules(
  history: readonly {
    readonly at: number;
    readonly email: string;
    readonly address: string;
    readonly ok: boolean;
  }[],
  email: string,
  address: string,
  now: number,
): number {
  const here = history.filter(event => event.address === address);
  const own = here.filter(event => event.email === email);
  let [failures, lastAt] = [0, 0];
  for (const { at, ok } of own) {
    failures = ok ? 0 : (at - lastAt < 3_600 ? failures : 0) + 1;
    lastAt = at;
  }
  if (now - lastAt >= 3_600) failures = 0;
  const ofEmail =
    failures < freeFailures.ofEmail
      ? 0
      : lastAt + Math.min(2 ** (failures - freeFailures.ofEmail), 900) - now;
  let [level, levelAt] = [0, 0];
  for (const { at } of here.filter(({ ok }) => !ok)) {
    level = Math.max(0, level - (at - levelAt) / 10);
    // Where new emails have to wait, a failure of one that is exempt changes nothing for them.
    if (level + 1 <= freeFailures.ofAddress + 1e-9) level += 1;
    levelAt = at;
  }
  level = Math.max(0, level - (now - levelAt) / 10);
  const ofAddress = own.some(({ ok }) => ok) ? 0 : (level + 1 - freeFailures.ofAddress) * 10;
  return Math.max(0, Math.ceil(Math.max(ofEmail, ofAddress) - 1e-9));
}

test("the login throttle makes attempts wait as its rules say, after any history", () => {
  const emails = Array.from({ length: 60 }, (_, n) => `${n}@example.com`);
  const event = fc.record({
    seconds: fc.constantFrom(0, 0, 0, 0, 1, 5, 10, 60, 900, 3_600),
    /** So many of one kind at once. */
    times: fc.constantFrom(1, 1, 2, 5, 40),
    email: fc.nat(emails.length - 1),
    isEach: fc.boolean(),
    address: fc.constantFrom(here, here, elsewhere),
    ok: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  });
  const failures = { seconds: 1, times: 1, email: 0, isEach: false, address: here, ok: false };
  // The wait is a whole number of seconds, and a sum of tenths that are rounded is a little more.
  const failuresOfBrokenSeconds = [
    { ...failures, times: 3 },
    { ...failures, ok: true },
    failures,
    { ...failures, times: 40 },
    { ...failures, times: 2, seconds: 10 },
    { ...failures, times: 5, seconds: 0, email: 1 },
  ];
  let waits = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), events => {
      const { clock, throttle, waitOf, fail } = open();
      const start = clock.elapsed();
      const history: Parameters<typeof waitByTheRules>[0][number][] = [];
      for (const { seconds, times, email, isEach, address, ok } of events) {
        clock.advance(seconds);
        const now = (clock.elapsed() - start) / 1_000;
        for (let n = 0; n < times; n += 1) {
          const sent = emails[(email + (isEach ? n : 0)) % emails.length] as string;
          if (ok) throttle.countSuccess(emailKey(sent), address);
          else fail(1, sent, address);
          history.push({ at: now, email: sent, address, ok });
        }
        for (const asked of [emails[email] as string, emails[0] as string]) {
          const wait = waitByTheRules(history, asked, address, now);
          assert.equal(waitOf(asked, address), wait);
          if (wait > 0) waits += 1;
        }
      }
    }),
    { numRuns: 300, examples: [[failuresOfBrokenSeconds]] },
  );
  assert.ok(waits > 100, `${waits}`);
});
