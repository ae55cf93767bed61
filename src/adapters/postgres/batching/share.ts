import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Answers equal reads that come together with one of them: those of one turn of the event loop, and those that come while
 * its statement waits for a connection. So nobody gets an answer from before they asked.
 *
 * @param read reads what is there for the key, and calls `begin` when it is about to send its statement
 */
export function share<Key, Answer>(
  read: (key: Key, begin: () => void) => Promise<Answer>,
): (key: Key) => Promise<Answer> {
  const open = new Map<Key, Promise<Answer>>();
  return key => {
    const shared = open.get(key);
    if (shared !== undefined) return shared;
    const begin = () => {
      if (open.get(key) === answer) open.delete(key);
    };
    const answer = nextTurn()
      .then(() => read(key, begin))
      .finally(begin);
    open.set(key, answer);
    return answer;
  };
}
