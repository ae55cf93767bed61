import assert from "node:assert/strict";
import { test } from "node:test";
import type { Horizon, Ids } from "../../../../src/application/trail/ports.ts";
import {
  everyId,
  needsXid,
  next,
  nothingKnown,
  type Seen,
  type Settling,
} from "../../../../src/application/trail/settling.ts";

const ids = (id: number): Ids => ({ employee: id, asset: id, log: id });

/** One poll to its end, which finds no record. Tells each time that ids of a pass are gone over. */
function poll(state: Settling, horizon: Omit<Horizon, "server">, now: number, onWindow = () => {}): Settling {
  let seen: Seen = { kind: "horizon", horizon: { server: "one", ...horizon }, size: 0, now };
  for (;;) {
    const step = next(state, seen);
    const { todo } = step;
    state = step.state;
    if (todo.kind === "end") return state;
    if (todo.kind === "find window") onWindow();
    if (todo.kind === "find window") seen = { kind: "window found", upTo: everyId };
    else if (todo.kind === "check entries") seen = { kind: "entries checked", upTo: todo.to };
    else {
      const { window } = todo;
      const nothing = {
        hashes: new Uint8Array(),
        late: 0,
        firstLate: undefined,
        found: 0,
        tooLong: undefined,
      };
      seen = { kind: "numbered", numbered: { ...nothing, lastIds: window.above }, window };
    }
  }
}

test("an xid is asked for only while no earlier one is waited for", () => {
  assert.equal(needsXid(nothingKnown, 0), true);
  let state = poll(nothingKnown, { lastIds: ids(5), xmin: 100, xid: 100 }, 0);
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
  let state = poll(nothingKnown, { lastIds: ids(5), xmin: 100, xid: 100 }, 0);
  // 6 and 7 are given to a transaction that has no id of its own yet: it may commit after 100 has ended.
  state = poll(state, { lastIds: ids(7), xmin: 100, xid: 100 }, 1_000);
  state = poll(state, { lastIds: ids(7), xmin: 101, xid: undefined }, 1_500);
  assert.deepEqual(state.floor, ids(5));
  state = poll(state, { lastIds: ids(7), xmin: 101, xid: 102 }, 2_000);
  state = poll(state, { lastIds: ids(7), xmin: 103, xid: undefined }, 2_500);
  assert.deepEqual(state.floor, ids(7));
});

test("while a transaction is open a pass a minute goes over all ids, one more when it has ended, and then one a day", () => {
  let state = nothingKnown;
  const passes: number[] = [];
  const pollAt = (second: number, xmin: number) => {
    const horizon = { lastIds: ids(5), xmin, xid: 100 + second };
    state = poll(state, horizon, 1_000 * second, () => passes.push(second));
  };
  for (let second = 0; second < 600; second += 1) pollAt(second, 50);
  assert.deepEqual(passes, [0, 60, 120, 180, 240, 300, 360, 420, 480, 540]);
  assert.deepEqual([state.phase, state.nextFloor?.since], ["open", 1_000]);
  for (let second = 600; second < 630; second += 1) pollAt(second, 50);
  for (let second = 630; second < 800; second += 1) pollAt(second, 100 + second);
  assert.deepEqual(passes.slice(10), [600, 630]);
  assert.deepEqual([state.phase, state.floor], ["settled", ids(5)]);
  for (const second of [86_000, 86_999, 87_000, 87_001]) pollAt(second, 100 + second);
  assert.deepEqual(passes.slice(12), [87_000]);
});
