import type { Clock } from "../../src/application/ports.ts";

/** A clock that stands still until it is told to go on. */
export function makeFakeClock(start = "2026-03-01T12:00:00Z"): Clock & { advance(seconds: number): void } {
  let milliseconds = Date.parse(start);
  return {
    now: () => new Date(milliseconds),
    advance(seconds) {
      milliseconds += seconds * 1_000;
    },
  };
}
