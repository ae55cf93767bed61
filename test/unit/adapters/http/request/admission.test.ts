import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  Admission,
  type Phase,
  phases,
  type Share,
} from "../../../../../src/adapters/http/request/admission.ts";
import { emailKey } from "../../../../../src/domain/employee.ts";

const limits = { requests: 2, bodyBytes: 100, bodyBytesWithoutToken: 10 };
const nobody = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };
const someone = {
  employeeId: 1,
  email: emailKey("ada@example.com"),
  role: "ADMIN",
  tokenId: undefined,
  tokenVersion: 1,
} as const;

/** An exchange whose head has arrived. */
const arrived = (hasToken = true, giveUp = () => {}): Share => ({
  phase: "arrived",
  bodyBytes: 0,
  caller: hasToken ? someone : undefined,
  giveUp,
});

/** An exchange that must be let in. */
function opened(admission: Admission, hasToken = true, giveUp?: () => void): Share {
  const exchange = arrived(hasToken, giveUp);
  assert.equal(admission.enter(exchange, "checking"), true);
  return exchange;
}

describe("the admission of exchanges", () => {
  test("lets in as many as there is room for, and counts those it turns away", () => {
    const admission = new Admission(limits);
    const [first, second] = [opened(admission), opened(admission)];
    assert.equal(admission.enter(arrived(), "checking"), false);
    admission.enter(first, "closed");
    const third = opened(admission);
    assert.equal(admission.enter(arrived(), "checking"), false);
    assert.deepEqual([admission.load().requests, admission.load().turnedAway.requests], [2, 2]);
    for (const exchange of [second, third]) admission.enter(exchange, "closed");
    assert.equal(admission.load().requests, 0);
  });

  test("takes no place of one that waits for its body, and lets it work only where a place is free", () => {
    const admission = new Admission(limits);
    const [first, second] = [opened(admission), opened(admission)];
    for (const exchange of [first, second]) admission.enter(exchange, "receiving");
    assert.equal(admission.load().requests, 0);
    assert.equal(admission.enter(first, "working"), true);
    const third = opened(admission);
    assert.equal(admission.enter(second, "working"), false);
    assert.equal(second.phase, "receiving");
    assert.deepEqual([admission.load().requests, admission.load().turnedAway.requests], [2, 1]);
    for (const exchange of [first, second, third]) admission.enter(exchange, "closed");
    assert.equal(admission.load().requests, 0);
  });

  test("gives bodies room until all, or those without a token, have taken theirs", () => {
    const admission = new Admission(limits);
    const [without, holder] = [opened(admission, false), opened(admission)];
    assert.equal(admission.hold(without, 10), true);
    assert.equal(admission.hold(without, 11), false);
    assert.equal(admission.hold(holder, 90), true);
    assert.equal(admission.hold(holder, 91), false);
    assert.deepEqual([admission.load().bodyBytes, admission.load().turnedAway.bodies], [100, 2]);
    admission.enter(without, "finishing");
    assert.equal(admission.load().bodyBytes, 90);
    const other = opened(admission, false);
    assert.equal(admission.hold(other, 10), true);
    for (const exchange of [holder, other]) admission.enter(exchange, "closed");
    assert.equal(admission.load().bodyBytes, 0);
    assert.equal(admission.hold(opened(admission), 100), true);
  });

  test("gives up the longest wait of those without a token where another one needs its memory", () => {
    const admission = new Admission({ ...limits, requests: 9 });
    const givenUp: string[] = [];
    const wait = (name: string, bytes: number, hasToken = false) => {
      const exchange = opened(admission, hasToken, () => givenUp.push(name));
      assert.equal(admission.hold(exchange, bytes), true, name);
      admission.enter(exchange, "receiving");
      return exchange;
    };
    wait("holder", 20, true);
    const ended = wait("ended", 2);
    const first = wait("first", 4);
    const second = wait("second", 4);
    admission.enter(ended, "working");
    admission.enter(ended, "closed");
    wait("third", 2);
    assert.deepEqual(givenUp, []);
    // The longest wait takes nobody's place by itself, and needs its own.
    assert.equal(admission.hold(first, 8), true);
    assert.deepEqual(givenUp, ["second"]);
    wait("fourth", 7);
    assert.deepEqual(givenUp, ["second", "first"]);
    assert.equal(admission.hold(opened(admission, false), 11), false);
    assert.equal(admission.load().bodyBytes, 20);
    for (const exchange of [first, second]) admission.enter(exchange, "finishing");
    assert.deepEqual([admission.load().bodyBytes, admission.load().turnedAway.bodies], [20, 5]);
  });

  test("reports who was turned away since the last report, and nothing when nobody was", () => {
    const admission = new Admission(limits);
    assert.deepEqual(admission.load(), { requests: 0, bodyBytes: 0, turnedAway: nobody });
    assert.equal(admission.report(), undefined);
    const exchange = opened(admission);
    opened(admission);
    admission.enter(arrived(), "checking");
    admission.hold(exchange, 101);
    admission.turnAway("slowClients");
    for (let i = 0; i < 3; i += 1) admission.turnAway("connections");
    assert.deepEqual(admission.report(), { requests: 1, bodies: 1, connections: 3, slowClients: 1 });
    assert.equal(admission.report(), undefined);
    admission.turnAway("slowClients");
    assert.deepEqual(admission.report(), { ...nobody, slowClients: 1 });
    assert.deepEqual(admission.load().turnedAway, { requests: 1, bodies: 1, connections: 3, slowClients: 2 });
  });

  // 10,000 steps at least.
  test("keeps every sum within its limit in whatever order exchanges come, drip, are refused and close", () => {
    const bounds = { requests: 3, bodyBytes: 60, bodyBytesWithoutToken: 25 };
    const takesPlace = (phase: Phase) => ["checking", "working", "sending"].includes(phase);
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
    const step = fc.oneof(
      fc.record({ kind: fc.constant("arrive" as const), hasToken: fc.boolean() }),
      fc.record({ kind: fc.constant("go on" as const), which: fc.nat(), by: fc.integer({ min: 1, max: 3 }) }),
      fc.record({
        kind: fc.constant("hold" as const),
        which: fc.nat(),
        more: fc.integer({ min: 1, max: 20 }),
      }),
      fc.record({ kind: fc.constant("close" as const), which: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 100, maxLength: 200 }), steps => {
        const admission = new Admission(bounds);
        const open = new Set<Share>();
        const isConsistent = () => {
          const all = [...open];
          const withoutToken = all.filter(({ caller }) => caller === undefined);
          const [requests, bodyBytes, strange] = [
            all.filter(({ phase }) => takesPlace(phase)).length,
            sum(all.map(share => share.bodyBytes)),
            sum(withoutToken.map(share => share.bodyBytes)),
          ];
          assert.deepEqual(
            [admission.load().requests, admission.load().bodyBytes],
            [requests, bodyBytes],
            "the sums are those over all exchanges",
          );
          assert.ok(requests <= bounds.requests && bodyBytes <= bounds.bodyBytes);
          assert.ok(strange <= bounds.bodyBytesWithoutToken);
          assert.ok(all.every(share => share.bodyBytes >= 0));
        };
        const give = (share: Share) => {
          assert.deepEqual([share.phase, share.bodyBytes, share.caller], ["receiving", 0, undefined]);
          admission.enter(share, "finishing");
        };
        const arrive = (hasToken: boolean) => {
          const share: Share = { ...arrived(hasToken), giveUp: () => give(share) };
          open.add(share);
          if (!admission.enter(share, "checking")) admission.enter(share, "finishing");
        };
        const close = (share: Share) => {
          admission.enter(share, "closed");
          open.delete(share);
        };
        for (const one of steps) {
          const share = "which" in one ? [...open][one.which % Math.max(open.size, 1)] : undefined;
          if (one.kind === "arrive") arrive(one.hasToken);
          else if (share === undefined) continue;
          else if (one.kind === "close") close(share);
          else if (one.kind === "hold" && ["checking", "receiving"].includes(share.phase)) {
            if (!admission.hold(share, share.bodyBytes + one.more)) admission.enter(share, "finishing");
          } else if (one.kind === "go on") {
            const next = phases[phases.indexOf(share.phase) + one.by] ?? "finishing";
            if (next === "closed") close(share);
            else if (!admission.enter(share, next)) admission.enter(share, "finishing");
          }
          isConsistent();
        }
        for (const share of open) close(share);
        isConsistent();
        assert.deepEqual([admission.load().requests, admission.load().bodyBytes], [0, 0]);
      }),
      { numRuns: 100 },
    );
  });
});
