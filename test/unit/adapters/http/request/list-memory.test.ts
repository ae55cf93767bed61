import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, type TestContext, test } from "node:test";
import { ListMemory } from "../../../../../src/adapters/http/request/list-memory.ts";

const limits = { listBytes: 100, longListBytes: 40, slowReaderMilliseconds: 1_000 };

/** A memory of 100 bytes for lists, of which each long one takes 40, and a clock. */
function makeStage(t: TestContext) {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const turnedAway: string[] = [];
  const holders: ReturnType<typeof open>[] = [];
  const memory = new ListMemory(limits, { turnAway: what => turnedAway.push(what) }, () => holders);

  /** A response that a list is about to be sent as. A client of one that ends would take what it has got for the whole list. */
  function open() {
    const response = Object.assign(new EventEmitter(), { isDestroyed: false, destroy() {} });
    response.destroy = () => {
      response.isDestroyed = true;
    };
    return { response: response as typeof response & ServerResponse, listBytes: 0, listSince: 0 };
  }
  const take = (bytes?: number) => {
    const holder = open();
    holders.push(holder);
    memory.take(holder, bytes);
    return holder;
  };
  return {
    memory,
    turnedAway,
    take,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

const overloaded = { status: 503, message: "The service is overloaded" };

describe("the memory of lists", () => {
  test("is taken by their length, or by that of a page and a chunk, until they are closed", t => {
    const { take, turnedAway } = makeStage(t);
    const whole = take(60);
    const long = take();
    assert.throws(() => take(1), overloaded);
    long.response.emit("close");
    assert.throws(() => take(41), overloaded);
    take(40);
    whole.response.emit("close");
    take(60);
    assert.deepEqual(turnedAway, ["requests", "requests"]);
  });

  test("is taken from the list whose client has taken nothing for longest, once that is long enough", t => {
    const { memory, take, turnedAway, advance } = makeStage(t);
    const first = take();
    advance(10);
    const second = take();
    advance(500);
    memory.goOn(first);
    advance(499);
    assert.throws(() => take(), overloaded);
    assert.deepEqual([first.response.isDestroyed, second.response.isDestroyed], [false, false]);
    advance(1);
    take();
    assert.deepEqual([first.response.isDestroyed, second.response.isDestroyed], [false, true]);
    assert.deepEqual(turnedAway, ["requests", "slowClients"]);
    // Its end says so once more.
    second.response.emit("close");
    assert.throws(() => take(), overloaded);
  });

  test("is taken from as many lists as it needs", t => {
    const { take, turnedAway, advance } = makeStage(t);
    const small = Array.from({ length: 10 }, () => take(10));
    advance(1_000);
    take(25);
    assert.equal(small.filter(({ response }) => response.isDestroyed).length, 3);
    assert.deepEqual(turnedAway, ["slowClients", "slowClients", "slowClients"]);
  });
});
