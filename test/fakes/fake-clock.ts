/** A clock that stands still, at the present unless told otherwise, until it is told to go on. */
export function makeFakeClock(start?: string) {
  let milliseconds = start === undefined ? Date.now() : Date.parse(start);
  let elapsed = 0;
  return {
    now: () => new Date(milliseconds),
    elapsed: () => elapsed,
    advance(seconds: number) {
      milliseconds += seconds * 1_000;
      elapsed += seconds * 1_000;
    },
    /** As somebody who sets the clock: no time goes by. */
    set(time: string) {
      milliseconds = Date.parse(time);
    },
  };
}
