import type { IdRange } from "./trail-repository.ts";

/** Gaps kept in mind at once, and the longest wait between two looks into one. The background reading finds the others. */
export const gapsAtMost = 10_000;
const longestWaitMilliseconds = 86_400_000;
const firstWaitMilliseconds = 300;

interface Gap extends IdRange {
  dueAt: number;
  wait: number;
}

/**
 * Ids that were passed over: of a transaction that is still open, or of one that was undone. Nothing tells one from the
 * other, so each is looked for again, at waits that double: a log is found within the time that its transaction was open.
 * Ids that follow each other are one gap, so that a million that were given out in vain take no more than one.
 */
export type Gaps = ReturnType<typeof makeGaps>;

/** @param passed ranges of ids below `last` that have no entry */
export function makeGaps(last: number, passed: readonly IdRange[], now: number) {
  const gaps = new Set<Gap>();
  let greatest = last;

  function add(gap: Gap): void {
    if (gap.first > gap.last) return;
    gaps.add(gap);
    if (gaps.size <= gapsAtMost) return;
    const [oldest] = gaps;
    if (oldest !== undefined) gaps.delete(oldest);
  }

  for (const range of passed) add({ ...range, dueAt: now, wait: firstWaitMilliseconds });

  return {
    /** The greatest id known. */
    get last(): number {
      return greatest;
    },

    /** Notes that the record with this id is known. */
    note(id: number, now: number): void {
      if (id <= greatest) return;
      add({ first: greatest + 1, last: id - 1, dueAt: now, wait: firstWaitMilliseconds });
      greatest = id;
    },

    /** The gaps to look into now, the newest ones, at most so many; each becomes due again later. */
    due(now: number, limit: number): Gap[] {
      const due = [...gaps].filter(({ dueAt }) => dueAt <= now);
      const next = due.sort((a, b) => a.wait - b.wait).slice(0, limit);
      for (const gap of next) {
        gap.dueAt = now + gap.wait;
        gap.wait *= 2;
        if (gap.wait > longestWaitMilliseconds) gaps.delete(gap);
      }
      return next;
    },

    /**
     * Takes the ids that were found out of the gaps. What remains around them may have more, and is due at once; so is every
     * gap when there may be more in any.
     */
    settle(looked: readonly Gap[], found: readonly number[], isCut: boolean, now: number): void {
      const ids = [...found].sort((a, b) => a - b);
      for (const gap of looked) {
        const inside = ids.filter(id => id >= gap.first && id <= gap.last);
        if (inside.length === 0 && !isCut) continue;
        gaps.delete(gap);
        let first = gap.first;
        for (const id of [...inside, gap.last + 1]) {
          add({ first, last: id - 1, dueAt: now, wait: gap.wait / 2 });
          first = id + 1;
        }
      }
    },
  };
}
