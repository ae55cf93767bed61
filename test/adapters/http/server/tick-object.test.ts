import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { makeClientAddress } from "../../../../src/adapters/http/request/client-address.ts";
import { makeCors } from "../../../../src/adapters/http/request/cors.ts";
import { makeHttpServer } from "../../../../src/adapters/http/server/server.ts";
import { tokenNotValid } from "../../../../src/domain/error.ts";
import { makeRecordingEventLog } from "../../../fakes/recording-event-log.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The objects that `process.nextTick` makes meanwhile and that outlive a full collection. */
async function survivors(work: () => void): Promise<number> {
  const made: WeakRef<object>[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === "TickObject") made.push(new WeakRef(resource));
    },
  }).enable();
  work();
  hook.disable();
  // What a WeakRef was made for lives until the end of the turn.
  for (let at = 0; at < 3; at += 1) {
    await turn();
    collect();
  }
  return made.filter(reference => reference.deref() !== undefined).length;
}

const open = () => {
  makeHttpServer({
    routes: [],
    authentication: { identify: () => Promise.reject(tokenNotValid()) },
    cors: makeCors("*"),
    addressOf: makeClientAddress([]),
    events: makeRecordingEventLog(),
  });
};

test("servers keep one object of process.nextTick alive, however many they are", async () => {
  assert.equal(await survivors(() => process.nextTick(() => {})), 0);
  assert.equal(await survivors(open), 1);
  assert.equal(await survivors(open), 0);
});
