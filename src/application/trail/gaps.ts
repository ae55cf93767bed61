/** Ids kept in mind at once, and the longest wait between two looks for one. The background reading finds the others. */
export const gapsAtMost = 10_000;
const longestWaitMilliseconds = 86_400_000;
/**
 * How far behind the last id a process looks for gaps when it starts: further than the service writes within the
 * deadline of a statement.
 */
export const idsAtStart = 65_536;
const firstWaitMilliseconds = 300;

interface Gap {
  dueAt: number;
  wait: number;
}

/**
 * Ids that were passed over: of a transaction that is still open, or of one that was undone. Nothing tells one from the
 * other, so each is asked for again, at waits that double: a log is found within the time that its transaction was open.
 */
export type Gaps = ReturnType<typeof makeGaps>;

/** @param passed ids below `last` that have no entry */
export function makeGaps(last: number, passed: readonly number[], now: number) {
  const gaps = new Map<number, Gap>();
  let greatest = last;
  /** How many more may be added before the next look: the sequence may have been set anywhere, again and again. */
  let room = gapsAtMost;

  function add(id: number, now: number): void {
    gaps.set(id, { dueAt: now, wait: firstWaitMilliseconds });
    if (gaps.size <= gapsAtMost) return;
    const [oldest] = gaps.keys();
    if (oldest !== undefined) gaps.delete(oldest);
  }

  for (const id of passed) add(id, now);

  return {
    /** The greatest id known. */
    get last(): number {
      return greatest;
    },

    /** Notes that the record with this id is known. */
    note(id: number, now: number): void {
      gaps.delete(id);
      const passed = Math.min(room, Math.max(0, id - greatest - 1));
      for (let before = passed; before > 0; before -= 1) add(id - before, now);
      room -= passed;
      greatest = Math.max(greatest, id);
    },

    /** The ids to ask for now, at most so many; each becomes due again later. */
    due(now: number, limit: number): number[] {
      room = gapsAtMost;
      const ids: number[] = [];
      for (const [id, gap] of gaps) {
        if (ids.length === limit) break;
        if (gap.dueAt > now) continue;
        ids.push(id);
        gap.dueAt = now + gap.wait;
        gap.wait *= 2;
        if (gap.wait > longestWaitMilliseconds) gaps.delete(id);
      }
      return ids;
    },
  };
}
