/** Keys that one statement asks for at most. */
const maxKeys = 100;

/**
 * Answers the calls of one turn of the event loop with one statement, which costs little more than one of them would.
 * Nobody waits for it: a call on its own is a statement on its own.
 *
 * @param find what is there of these keys; keys of which there is nothing are left out
 */
export function gather<Key, Found>(
  find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>,
): (key: Key) => Promise<Found | undefined> {
  let turn: { readonly keys: Key[]; readonly found: Promise<ReadonlyMap<Key, Found>> } | undefined;

  function begin() {
    const keys: Key[] = [];
    const found = new Promise<void>(resolve => setImmediate(resolve)).then(() => {
      if (turn?.keys === keys) turn = undefined;
      return find(keys);
    });
    return { keys, found };
  }

  return async key => {
    turn ??= begin();
    const { keys, found } = turn;
    keys.push(key);
    if (keys.length === maxKeys) turn = undefined;
    return (await found).get(key);
  };
}
