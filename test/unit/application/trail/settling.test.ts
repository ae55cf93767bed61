import assert from "node:assert/strict";
import { test } from "node:test";
import { type Horizon, type Ids, noIds } from "../../../../src/application/trail/ports.ts";
import {
  afterHorizon,
  afterNew,
  afterPart,
  needsXid,
  type Settling,
} from "../../../../src/application/trail/settling.ts";

const ids = (id: number): Ids => ({ employee: id, asset: id, log: id });

/** One poll to its end, which finds no record, and goes over all ids of a pass at once. */
function poll(before: Settling | undefined, horizon: Horizon, now: number, onPass = () => {}): Settling {
  const state = afterNew(afterHorizon(before, horizon, 0, now), horizon);
  if (state.pass === undefined) return state;
  onPass();
  return afterPart(state, { ...state.pass, above: state.pass.upTo });
}

test("an xid is asked for only while no earlier one is waited for", () => {
  assert.equal(needsXid(undefined, 0), false);
  let state = poll(undefined, { lastIds: ids(5), xmin: 100, xid: undefined }, 0);
  assert.equal(needsXid(state, 1_000), true);
  state = poll(state, { lastIds: ids(5), xmin: 100, xid: 101 }, 1_000);
  for (const now of [2_000, 3_000, 60_000]) {
    assert.equal(needsXid(state, now), false);
    state = poll(state, { lastIds: ids(5), xmin: 100, xid: undefined }, now);
  }
  state = poll(state, { lastIds: ids(7), xmin: 102, xid: undefined }, 61_000);
  assert.deepEqual(state.floor, ids(5));
  assert.equal(needsXid(state, 62_000), true);
});

test("an id that was given after the poll before is not settled by a transaction of this poll", () => {
  let state = poll(undefined, { lastIds: ids(5), xmin: 100, xid: 100 }, 0);
  // 6 and 7 are given to a transaction that has no id of its own yet: it may commit after 100 has ended.
  state = poll(state, { lastIds: ids(7), xmin: 100, xid: 100 }, 1_000);
  state = poll(state, { lastIds: ids(7), xmin: 101, xid: undefined }, 1_500);
  assert.deepEqual(state.floor, ids(5));
  state = poll(state, { lastIds: ids(7), xmin: 101, xid: 102 }, 2_000);
  state = poll(state, { lastIds: ids(7), xmin: 103, xid: undefined }, 2_500);
  assert.deepEqual(state.floor, ids(7));
});

test("the floor rises however often requests ask for a poll", () => {
  let state: Settling | undefined;
  for (let now = 0; now <= 3_000; now += 10) {
    const xid = needsXid(state, now) ? 100 + now : undefined;
    state = poll(state, { lastIds: ids(now), xmin: 100 + now, xid }, now);
  }
  assert.ok((state?.floor.log ?? 0) >= 1_000);
});

test("while a transaction is open a pass a minute goes over all ids, one more when it has ended, and then one a day", () => {
  let state: Settling | undefined;
  const passes: number[] = [];
  const pollAt = (second: number, xmin: number) => {
    const horizon = { lastIds: ids(5), xmin, xid: 100 + second };
    state = poll(state, horizon, 1_000 * second, () => passes.push(second));
    return state;
  };
  for (let second = 0; second < 600; second += 1) pollAt(second, 50);
  assert.deepEqual(passes, [0, 60, 120, 180, 240, 300, 360, 420, 480, 540]);
  const open = pollAt(600, 50);
  assert.deepEqual([open.phase, open.nextFloor?.since], ["open", 1_000]);
  for (let second = 601; second < 630; second += 1) pollAt(second, 50);
  for (let second = 630; second < 800; second += 1) pollAt(second, 100 + second);
  assert.deepEqual(passes.slice(10), [600, 630]);
  const settled = pollAt(800, 900);
  assert.deepEqual([settled.phase, settled.floor], ["settled", ids(5)]);
  for (const second of [86_000, 86_999, 87_000, 87_001]) pollAt(second, 100 + second);
  assert.deepEqual(passes.slice(12), [87_000]);
});

test("a pass that is under way when the floor rises begins anew with the ids, and goes on with the entries", () => {
  let state = afterHorizon(undefined, { lastIds: ids(9), xmin: 5, xid: undefined }, 30, 0);
  assert.deepEqual(state.pass, { checkedTo: 0, size: 30, above: noIds, upTo: ids(9) });
  state = afterPart(state, { checkedTo: 20, size: 30, above: ids(4), upTo: ids(9) });
  const horizon = { lastIds: ids(12), xmin: 7, xid: 6 };
  state = afterNew(afterHorizon(state, horizon, 40, 1_000), horizon);
  assert.deepEqual(state.pass, { checkedTo: 20, size: 30, above: noIds, upTo: ids(9) });
  state = afterPart(state, { checkedTo: 30, size: 30, above: ids(9), upTo: ids(9) });
  assert.deepEqual([state.phase, state.pass], ["settled", undefined]);
});

test("ids that a sequence issues again are open anew, and a pass over all of them begins", () => {
  let state = poll(undefined, { lastIds: ids(9), xmin: 5, xid: undefined }, 0);
  state = poll(state, { lastIds: ids(9), xmin: 5, xid: 5 }, 1_000);
  state = poll(state, { lastIds: ids(9), xmin: 6, xid: undefined }, 2_000);
  assert.equal(state.phase, "settled");
  state = afterHorizon(state, { lastIds: { ...ids(9), log: 8 }, xmin: 6, xid: undefined }, 0, 3_000);
  assert.deepEqual([state.phase, state.pass?.above, state.floor.log], ["open", noIds, 8]);
});
