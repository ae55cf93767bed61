import type { Clock } from "../application/process.ts";

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
};
