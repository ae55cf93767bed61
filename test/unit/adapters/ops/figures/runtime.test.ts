import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchRuntime } from "../../../../../src/adapters/ops/figures/runtime.ts";

test("the figures of the process are in their units", async () => {
  const read = watchRuntime();
  await sleep(50);
  // Holds the event loop.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await sleep(50);
  const after = read();
  assert.equal(after.nodeVersion, process.version);
  assert.ok(Math.abs(after.startedAtSeconds + after.uptimeSeconds - Date.now() / 1_000) < 60);
  const { user, system } = process.cpuUsage();
  assert.ok(Math.abs(after.cpuSeconds - (user + system) / 1e6) < 1);
  assert.ok(after.eventLoopDelay.maxSeconds > 0.25 && after.eventLoopDelay.maxSeconds < 100);
  assert.ok(after.eventLoopDelay.medianSeconds < after.eventLoopDelay.maxSeconds);
  const { residentBytes, heapUsedBytes, heapLimitBytes, externalBytes } = after;
  assert.ok(heapUsedBytes < residentBytes && heapUsedBytes < heapLimitBytes);
  for (const size of [residentBytes, heapUsedBytes, externalBytes]) assert.ok(size > 100_000);
});
