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

// The pages of docs/ are made with the same support, and outside of any test.
if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  after(async () => {
    for (const close of [...open].reverse()) await close();
  });
}
