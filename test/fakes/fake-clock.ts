import type { Clock } from "../../src/application/ports.ts";

/** A clock that stands still, at the present unless told otherwise, until it is told to go on. */
export function makeFakeClock(start?: string): Clock & { advance(seconds: number): void } {
  let milliseconds = start === undefined ? Date.now() : Date.parse(start);
  return {
    now: () => new Date(milliseconds),
    advance(seconds) {
      milliseconds += seconds * 1_000;
    },
  };
}
