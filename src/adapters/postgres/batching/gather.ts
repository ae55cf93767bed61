import { setImmediate as nextTurn } from "node:timers/promises";
import { isUnavailable } from "../../../domain/error.ts";

/** Calls that one statement takes at most. */
const maxCalls = 100;

/**
 * Serves calls that come together with one statement, which costs little more than one of them would: those of one turn
 * of the event loop, and those that come while the statement waits for a connection. Nobody waits for others to come: a
 * call on its own is a statement on its own.
 *
 * @param answer returns what is there for each of the calls, which it takes when it is about to send its statement; it
 *   may leave out those for which there is nothing
 */
export function gather<Call, Answer>(
  answer: (takeCalls: () => readonly Call[]) => Promise<ReadonlyMap<Call, Answer>>,
): (call: Call) => Promise<Answer | undefined> {
  let open: { readonly calls: Call[]; readonly answers: Promise<ReadonlyMap<Call, Answer>> } | undefined;

  function begin() {
    const calls: Call[] = [];
    const take = () => {
      if (open?.calls === calls) open = undefined;
      return calls;
    };
    const answers = nextTurn()
      .then(() => answer(take))
      .finally(take);
    return { calls, answers };
  }

  return async call => {
    open ??= begin();
    const { calls, answers } = open;
    calls.push(call);
    if (calls.length === maxCalls) open = undefined;
    try {
      return (await answers).get(call);
    } catch (error) {
      // A statement that PostgreSQL refused has done nothing; the fault of one call must not become that of all.
      if (calls.length === 1 || isUnavailable(error)) throw error;
      return (await answer(() => [call])).get(call);
    }
  };
}
