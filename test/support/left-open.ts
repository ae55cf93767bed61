import { after } from "node:test";

const open = new Set<() => unknown>();

/**
 * Closes at the end of a test file what a failed assertion has left open, since it would keep the process of that file
 * alive until the time-out. Returns what a test calls when it closes it itself.
 */
export function closeAtEnd(close: () => unknown): () => void {
  open.add(close);
  return () => open.delete(close);
}

/** For what the tests of one suite share: waits until it is open, and closes it after them, the first before the second. */
export async function shared<T extends AsyncDisposable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  after(() => opened[Symbol.asyncDispose]());
  return opened;
}

// The pages of docs/ are made with the same support, and outside of any test.
if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  after(async () => {
    for (const close of [...open].reverse()) await close();
  });
}
