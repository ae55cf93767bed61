import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../../src/adapters/system-clock.ts";
import type { Clock } from "../../src/application/process.ts";
import { makeFakeClock } from "../fakes/fake-clock.ts";

function clockContract(name: string, clock: Clock): void {
  describe(`clock: ${name}`, () => {
    test("tells a time after this service was written", () => {
      assert.ok(clock.now().getTime() > Date.parse("2026-01-01T00:00:00Z"));
    });

    test("gives a date of its own each time", () => {
      const first = clock.now();
      first.setFullYear(1970);
      assert.notEqual(clock.now().getFullYear(), 1970);
    });
  });
}

clockContract("system", systemClock);
clockContract("fake", makeFakeClock());
