import type { Clock } from "../application/clock-and-log.ts";

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
};
