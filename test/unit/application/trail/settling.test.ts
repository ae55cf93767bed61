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

/** One poll to its end, which finds no record. */
function poll(state: Settling, horizon: Omit<Horizon, "server">, now: number): Settling {
  let seen: Seen = { kind: "horizon", horizon: { server: "one", ...horizon }, size: 0, now };
  for (;;) {
    const step = next(state, seen);
    const { todo } = step;
    state = step.state;
    if (todo.kind === "end") return state;
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
