import { isUnavailable } from "../../../domain/error.ts";

/** With accounts that are half a second old at most, a list ends within a second of its token. */
export const watchMilliseconds = 250;

/** A list under way, and its place among them. */
interface Watched {
  at: number;
  isOver: boolean;
  /** Rejects when the token no longer lets the request through. */
  readonly look: () => Promise<unknown>;
  readonly end: (error: unknown) => void;
}

/** Looks at the tokens of the lists under way again and again: at all of them at once, as most lists end before that. */
export function makeTokenWatch() {
  // No Set: V8 links what a Set has given up, and so keeps a megabyte of requests that are over from each collection.
  const lists: Watched[] = [];
  let timer: NodeJS.Timeout | undefined;

  function add(watched: Watched): void {
    lists.push(watched);
    keepWatch();
  }

  function remove({ at }: Watched): void {
    const last = lists.pop() as Watched;
    if (last.at === at) return;
    lists[at] = last;
    last.at = at;
  }

  function keepWatch(): void {
    if (lists.length === 0 || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      for (const watched of lists) {
        watched.look().catch(error => {
          // Nothing is known of the token until the database is back, and the list needs it too.
          if (isUnavailable(error) || watched.isOver) return;
          watched.isOver = true;
          watched.end(error);
        });
      }
      keepWatch();
    }, watchMilliseconds).unref();
  }

  return {
    /**
     * Waits until a list is sent.
     *
     * @param look rejects when the token no longer lets the request through
     * @param end is called once with what ended the token; it ends the answer, and what becomes of the list then is no news
     */
    async during(sending: Promise<void>, look: () => Promise<unknown>, end: (error: unknown) => void) {
      const watched: Watched = { at: lists.length, isOver: false, look, end };
      add(watched);
      try {
        await sending;
      } catch (error) {
        if (!watched.isOver) throw error;
      } finally {
        remove(watched);
      }
    },
  };
}
