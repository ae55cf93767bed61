import type { Clock } from "../../src/application/clock-and-log.ts";

interface FakeClock extends Clock {
  advance(seconds: number): void;
  /** As somebody who sets the clock: no time goes by. */
  set(time: string): void;
}

/** A clock that stands still, at the present unless told otherwise, until it is told to go on. */
export function makeFakeClock(start?: string): FakeClock {
  let milliseconds = start === undefined ? Date.now() : Date.parse(start);
  let elapsed = 0;
  return {
    now: () => new Date(milliseconds),
    elapsed: () => elapsed,
    advance(seconds) {
      milliseconds += seconds * 1_000;
      elapsed += seconds * 1_000;
    },
    set(time) {
      milliseconds = Date.parse(time);
    },
  };
}
