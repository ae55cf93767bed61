import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAdmission } from "../../../../src/adapters/http/server/admission.ts";
import { httpLimits } from "../../../../src/adapters/http/server/limits.ts";

const limits = { requests: 2, bodyBytes: 100, bodyBytesWithoutToken: 10 };
const nobody = { requests: 0, bodies: 0, connections: 0, slowClients: 0 };

/** A request that must be let in. */
function opened(admission: ReturnType<typeof makeAdmission>) {
  const share = admission.openRequest();
  assert.ok(share !== undefined);
  return share;
}

describe("the admission of requests", () => {
  test("lets in as many as there is room for, and counts those it turns away", () => {
    const admission = makeAdmission(limits);
    const [first, second] = [opened(admission), opened(admission)];
    assert.equal(admission.openRequest(), undefined);
    first.end();
    const third = opened(admission);
    assert.equal(admission.openRequest(), undefined);
    assert.deepEqual([admission.load().requests, admission.load().turnedAway.requests], [2, 2]);
    second.end();
    third.end();
    assert.equal(admission.load().requests, 0);
  });

  test("does not count a request that waits for its body, and counts it again afterwards", () => {
    const admission = makeAdmission(limits);
    const [first, second] = [opened(admission), opened(admission)];
    first.beginWait(assert.fail);
    second.beginWait(assert.fail);
    assert.equal(admission.load().requests, 0);
    first.endWait();
    assert.equal(admission.load().requests, 1);
    first.end();
    first.end();
    // It ends while it waits.
    second.end();
    assert.equal(admission.load().requests, 0);
  });

  test("gives bodies room until all, or those without a token, have taken theirs", () => {
    const admission = makeAdmission(limits);
    const [stranger, holder] = [opened(admission), opened(admission)];
    assert.equal(stranger.takeBytes(10, false), true);
    assert.equal(stranger.takeBytes(1, false), false);
    assert.equal(holder.takeBytes(90, true), true);
    assert.equal(holder.takeBytes(1, true), false);
    assert.deepEqual([admission.load().bodyBytes, admission.load().turnedAway.bodies], [100, 2]);
    stranger.end();
    assert.equal(admission.load().bodyBytes, 90);
    const other = opened(admission);
    assert.equal(other.takeBytes(10, false), true);
    holder.end();
    other.end();
    assert.equal(admission.load().bodyBytes, 0);
    assert.equal(opened(admission).takeBytes(100, true), true);
  });

  test("gives up the longest wait of those without a token where another one needs its memory", () => {
    const admission = makeAdmission({ ...limits, requests: 9 });
    const givenUp: string[] = [];
    const wait = (name: string, bytes: number, hasToken = false) => {
      const share = opened(admission);
      assert.equal(share.takeBytes(bytes, hasToken), true, name);
      share.beginWait(() => givenUp.push(name));
      return share;
    };
    wait("holder", 20, true);
    const ended = wait("ended", 2);
    const first = wait("first", 4);
    const second = wait("second", 4);
    ended.endWait();
    ended.end();
    wait("third", 2);
    assert.deepEqual(givenUp, []);
    // The longest wait takes nobody's place by itself, and needs its own.
    assert.equal(first.takeBytes(4, false), true);
    assert.deepEqual(givenUp, ["second"]);
    wait("fourth", 7);
    assert.deepEqual(givenUp, ["second", "first"]);
    assert.equal(opened(admission).takeBytes(11, false), false);
    assert.equal(admission.load().bodyBytes, 20);
    for (const share of [first, second]) share.end();
    assert.deepEqual([admission.load().bodyBytes, admission.load().turnedAway.bodies], [20, 5]);
  });

  test("reports who was turned away since the last report, and nothing when nobody was", () => {
    const admission = makeAdmission(limits);
    assert.deepEqual(admission.load(), { requests: 0, bodyBytes: 0, turnedAway: nobody });
    assert.equal(admission.report(), undefined);
    const share = opened(admission);
    opened(admission);
    admission.openRequest();
    share.takeBytes(101, true);
    admission.turnAway("slowClients");
    for (let i = 0; i < 3; i += 1) admission.turnAway("connections");
    assert.deepEqual(admission.report(), { requests: 1, bodies: 1, connections: 3, slowClients: 1 });
    assert.equal(admission.report(), undefined);
    admission.turnAway("slowClients");
    assert.deepEqual(admission.report(), { ...nobody, slowClients: 1 });
    assert.deepEqual(admission.load().turnedAway, { requests: 1, bodies: 1, connections: 3, slowClients: 2 });
  });
});

test("the bounds are those that the documents name", () => {
  assert.deepEqual(httpLimits, {
    headerBytes: 16_384,
    receiveMilliseconds: 10_000,
    keepAliveMilliseconds: 65_000,
    takeMilliseconds: 60_000,
    lingerMilliseconds: 1_000,
    farewellMilliseconds: 250,
    sweepMilliseconds: 1_000,
    connections: 10_000,
    tlsConnections: 2_000,
    waitingConnections: 4_096,
    requests: 1_000,
    bodyBytes: 16_777_216,
    bodyBytesWithoutToken: 1_048_576,
  });
});
