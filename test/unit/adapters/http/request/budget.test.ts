import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { Budget, Share } from "../../../../../src/adapters/http/request/budget.ts";
import { httpLimits } from "../../../../../src/adapters/http/request/limits.ts";

const limits = {
  ...httpLimits,
  requests: 4,
  bodyBytes: 100_000,
  bodyBytesWithoutToken: 20_000,
  responseBytes: 2_000_000,
  slowReaderMilliseconds: 1_000,
};
const overloaded = { code: "UNAVAILABLE" };

/** Shares by name, of which the first letter is the owner, on a clock of their own. */
function open({ mock }: TestContext) {
  let now = 10_000;
  mock.method(performance, "now", () => now);
  const shares: Share[] = [];
  const ended: string[] = [];
  const budget = new Budget(limits, () => shares);
  /** Each begins a moment after the one before it. */
  const share = (name: string, { hasToken = true, rawHeaders = [] as string[] } = {}): Share => {
    now += 1;
    const holder = { request: { url: "/", rawHeaders }, owner: name.charAt(0), hasToken };
    const made = new Share(budget, { ...holder, giveUp: () => ended.push(name) });
    shares.push(made);
    return made;
  };
  return {
    budget,
    share,
    ended,
    /** With responses of a tenth of the room each. */
    responding: (...names: readonly string[]) =>
      names.map(name => {
        const made = share(name);
        made.respond(0);
        const heads = budget.load().responseBytes % 200_000;
        made.respond(200_000 - heads);
        return made;
      }),
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe("what exchanges hold", () => {
  test("is of one owner no more than is left for all others, but the first of an owner gets the last place", t => {
    const { share } = open(t);
    for (const name of ["a1", "a2"]) share(name).work();
    assert.throws(() => share("a3").work(), overloaded);
    share("b1").work();
    assert.throws(() => share("b2").work(), overloaded);
    share("c1").work();
    assert.throws(() => share("d1").work(), overloaded);
  });

  test("counts a body with its exchange and its head, and without a token apart", t => {
    const { budget, share } = open(t);
    const bytesOf = (...given: Parameters<typeof share>) => {
      const made = share(...given);
      const before = budget.load().bodyBytes;
      made.holdBody(1);
      return budget.load().bodyBytes - before;
    };
    const least = bytesOf("a1");
    assert.ok(least > 4_000);
    assert.ok(bytesOf("b1", { rawHeaders: ["A", "x".repeat(1_000)] }) > least + 1_000 + 2 * 80);
    bytesOf("c1", { hasToken: false });
    assert.throws(() => share("d1", { hasToken: false }).holdBody(19_000), overloaded);
    share("e1").holdBody(40_000);
  });

  test("ends for another one, when all is taken, the one of the owner who holds most that has not moved for longest", t => {
    const { share, ended, responding } = open(t);
    responding("a1", "a2", "a3", "a4");
    const [first] = responding("b1", "b2", "b3", "b4", "b5", "b6");
    first?.move();
    share("c1").respond(0);
    assert.deepEqual(ended, ["b2"]);
  });

  test("ends for one who has too much, while not all is taken, another one of the same owner", t => {
    const { share, ended, responding, wait } = open(t);
    responding("b1", "b2", "b3", "b4", "b5", "b6", "a1", "a2");
    wait(limits.slowReaderMilliseconds);
    share("a3").respond(100_000);
    assert.deepEqual(ended, ["a1"]);
  });

  test("ends nothing that is worked on: its body has arrived", t => {
    const { share, ended } = open(t);
    for (const name of ["a1", "a2"]) {
      const made = share(name);
      made.holdBody(20_000);
      if (name === "a1") made.work();
    }
    share("a3").holdBody(15_000);
    assert.deepEqual(ended, ["a2"]);
  });

  test("ends for a list only what has stalled, and nothing is left when all are closed", t => {
    const { budget, share, ended, responding, wait } = open(t);
    const shares = responding("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4", "c1", "c2");
    const list = share("d1");
    assert.throws(() => list.respondWithList(), overloaded);
    wait(limits.slowReaderMilliseconds);
    list.respondWithList();
    assert.ok(ended.length > 0);
    for (const each of [...shares, list]) each.close();
    const { turnedAway, ...levels } = budget.load();
    assert.deepEqual(levels, { requests: 0, bodyBytes: 0, responseBytes: 0 });
    assert.deepEqual([turnedAway.requests, turnedAway.slowClients], [1, ended.length]);
  });
});
