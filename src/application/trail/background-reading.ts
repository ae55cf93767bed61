import { allPartsOf, makeExamination, stepsOfPart, toldBy } from "./examination.ts";
import type { Numbering } from "./numbering.ts";
import type { SigningPorts } from "./signing.ts";
import type { RecordKind, TrailRecord } from "./trail-repository.ts";

const daySeconds = 86_400;
/** Between two parts of a small trail, which is read more than once a day. */
const longestSeconds = 600;
/** Parts whose outcome is kept in mind. */
const partsAtMost = 10_000;
/** Between two steps of a part, so that reading takes a few per cent of one core at most, as long as the day allows. */
const longestPauseMilliseconds = 100;
/** A process that has just started has other things to do. */
const startMilliseconds = 30_000;

export interface ReadingPorts extends Pick<SigningPorts, "trail" | "hasher" | "clock" | "events"> {
  readonly numbering: Numbering;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/**
 * Reads all records over and over, a part at a time, a day for all of them. Each part that was read is stored, so that a
 * restart goes on where the last process was, and of several processes one reads each part, as a rule.
 */
export function makeBackgroundReading({ trail, hasher, clock, events, numbering, pause }: ReadingPorts) {
  const outcomes = new Map<number, number>();
  let lastSeen = 0;
  let fraction = 0;
  let pauseMilliseconds = longestPauseMilliseconds;
  let begunAt: number | undefined;
  let parts: readonly number[] = [];

  const examination = makeExamination({ trail, hasher, pause: () => pause(pauseMilliseconds), takeLate });

  async function takeLate(kind: RecordKind, records: readonly TrailRecord[]): Promise<void> {
    for (const record of await numbering.add(kind, records)) {
      const { id, recordedAt } = toldBy(record);
      events.warn("trail late", { kind, id, recordedAt: recordedAt ?? "unknown" });
    }
  }

  /** Learns what was read, by whichever process; answers the last part and how long ago that was. */
  async function catchUp() {
    const readings = await trail.readings(lastSeen === 0 ? partsAtMost : 100);
    for (const { id, from, mismatches } of readings.reverse()) {
      if (id <= lastSeen) continue;
      outcomes.set(from, mismatches);
      lastSeen = id;
    }
    return readings.at(-1);
  }

  async function read(part: number): Promise<void> {
    let mismatches = 0;
    for await (const { kind, id, what } of examination.examine(part)) {
      mismatches += 1;
      events.error("trail mismatch", { kind, id, what });
    }
    // Another process may have stored the same part meanwhile, or a later one.
    if (await trail.addReading({ id: lastSeen + 1, from: part, mismatches })) {
      lastSeen += 1;
      outcomes.set(part, mismatches);
    }
  }

  return {
    /** Reads the next part if it is due; answers after how many milliseconds to ask again. */
    async step(): Promise<number> {
      begunAt ??= clock.now().getTime();
      const rest = startMilliseconds - (clock.now().getTime() - begunAt);
      if (rest > 0) return rest;
      const last = await catchUp();
      const isNext = (part: number): boolean => last === undefined || part > last.from;
      // Looking for them takes PostgreSQL some 15 µs for each, so once for a round of all is enough.
      if (!parts.some(isNext)) parts = await allPartsOf(trail);
      const at = parts.findIndex(isNext);
      const next = parts[Math.max(0, at)];
      if (next === undefined) return 10_000;
      fraction = Math.max(0, at) / parts.length;
      const waitSeconds = Math.min(longestSeconds, daySeconds / parts.length);
      // Whoever may insert a row can give it any time, also one to come.
      const isDue = last === undefined || last.age < 0 || last.age >= waitSeconds;
      if (!isDue) return Math.min(10_000, Math.max(1_000, 1_000 * (waitSeconds - last.age)));
      pauseMilliseconds = Math.min(longestPauseMilliseconds, (1_000 * waitSeconds) / (4 * stepsOfPart));
      const begun = clock.now().getTime();
      await read(next);
      fraction = (Math.max(0, at) + 1) / parts.length;
      // The tree is read anew, so that the next checkpoint is held against what is stored now.
      await numbering.reread();
      return Math.min(10_000, Math.max(0, 1_000 * waitSeconds - (clock.now().getTime() - begun)));
    },

    /** Of all parts, those that were read since the first one; and what did not match in them as they were read last. */
    state: () => ({
      fraction,
      mismatches: [...outcomes.values()].reduce((sum, count) => sum + count, 0),
    }),
  };
}
